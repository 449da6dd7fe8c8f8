"""Knowledge graphs, the label index and the four tools of clear-kgqa; imports nothing of its other packages."""
