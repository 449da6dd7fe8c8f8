import numpy as np

from clear_kgqa_tools.lexical import DIMENSIONS, LexicalSimilarity, stem


def test_vectors_are_unit_and_the_same_every_time() -> None:
    texts = ["place of birth", "", "東京", "!!!", "the of and", "\ud800", "place of birth"]
    vectors = LexicalSimilarity().encode(texts)
    assert vectors.shape == (7, DIMENSIONS) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert np.array_equal(vectors, LexicalSimilarity().encode(texts))
    assert np.array_equal(vectors[0], vectors[-1])
    assert LexicalSimilarity().encode([]).shape == (0, DIMENSIONS)


def test_the_nearest_shares_a_word_a_stem_or_its_spelling() -> None:
    similarity = LexicalSimilarity()
    properties = similarity.encode(["population", "director", "place of birth", "country", "area"])
    questions = [
        "populaton of Pariss",
        "who directed Alien",
        "what is his birth place",
        "in which countries",
        "Area?",
    ]
    assert (similarity.encode(questions) @ properties.T).argmax(axis=1).tolist() == [0, 1, 2, 3, 4]


def test_stems_of_one_word_meet() -> None:
    assert stem("directed") == stem("director") == stem("directing") == "direct"
    assert stem("does") == "does"
