"""Rows that are wrong, by the class of what is wrong with them; a row that is right has to go."""

_TRUTH = "the truth of a container from outside, after it was changed, is that at the call's begin"

KNOWN = {}
