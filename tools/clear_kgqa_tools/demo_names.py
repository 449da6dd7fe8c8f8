"""Names of the demo graph that its two sources lack, and names of theirs that would only mislead."""

from __future__ import annotations

# Names in daily use that neither GeoNames' country table nor ISO has.
COUNTRY_NAMES = {
    "US": ("USA", "US", "U.S.", "U.S.A.", "America"),
    "GB": ("UK", "U.K.", "Great Britain", "Britain"),
    "AE": ("UAE", "Emirates"),
    "NL": ("Netherlands", "Holland"),
    "CZ": ("Czech Republic",),
    "MM": ("Burma",),
    "CD": ("DRC", "DR Congo", "Congo-Kinshasa", "Congo"),
    "CG": ("Congo-Brazzaville", "Congo"),
    "VA": ("Vatican City",),
    "TL": ("East Timor",),
    "CV": ("Cape Verde",),
    "SZ": ("Swaziland",),
    "MK": ("Macedonia",),
    "PS": ("Palestine",),
    "KR": ("Korea",),
    "KP": ("Korea",),
    "CN": ("PRC",),
    "RU": ("Russian Federation",),
}
LANGUAGE_NAMES = {
    "ell": "Greek",
    "pus": "Pashto",
    "pan": "Punjabi",
    "kir": "Kyrgyz",
    "ori": "Odia",
    "div": "Dhivehi",
    "hat": "Haitian Creole",
    "uig": "Uyghur",
    "sin": "Sinhalese",
    "cmn": "Mandarin",
    "yue": "Cantonese",
    "fil": "Pilipino",
    "msa": "Bahasa Melayu",
    "gle": "Gaelic",
    "kal": "Greenlandic",
}
# Airport codes and names in other tongues that are everyday English words would be met in every question.
# fmt: off
WORDS = frozenset({
    "a", "all", "am", "an", "and", "any", "are", "as", "at", "be", "big", "but", "by", "can", "city",
    "country", "do", "for", "from", "has", "he", "her", "his", "how", "i", "in", "is", "it", "its", "large",
    "list", "many", "me", "more", "most", "much", "my", "name", "no", "not", "of", "on", "or", "our", "out",
    "show", "so", "state", "than", "that", "the", "there", "this", "to", "us", "was", "we", "what", "when",
    "where", "which", "who", "why", "will", "with", "you", "your",
})
# fmt: on
