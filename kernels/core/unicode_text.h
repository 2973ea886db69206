// Methods of Python's strings: the texts are UTF-8, places are counted in code
// points.
#ifndef RECURSIVE_TF_KERNELS_CORE_UNICODE_TEXT_H_
#define RECURSIVE_TF_KERNELS_CORE_UNICODE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace recursive_tf {

// Returns the code points of a text, one by one.
std::vector<std::string_view> Characters(std::string_view text);

// Returns the number of a character: its code point. -1 if the text is not one
// character.
int32_t CodeOf(std::string_view text);

enum class Search { kFind, kFindLast, kCount, kStartsWith, kEndsWith };

// Returns text.find(part, start, stop), or what rfind, count, startswith or
// endswith give, the last two as 0 or 1. Places below 0 count from the end.
int64_t SearchText(Search search, std::string_view text, std::string_view part,
                   int64_t start, int64_t stop);

// Returns text.replace(old, new, count); a count below 0 is of all.
std::string ReplaceText(std::string_view text, std::string_view old,
                        std::string_view replacement, int64_t count);

// Returns a text without those characters at its ends that are in `characters`.
std::string_view StripText(std::string_view text, std::string_view characters,
                           bool at_start, bool at_end);

// Returns text.split(separator, most), or rsplit from the right; `most` below 0
// has no bound. The separator is not empty.
std::vector<std::string_view> SplitText(std::string_view text,
                                        std::string_view separator,
                                        int64_t most, bool from_right);

// Returns text.split(None, most), or rsplit, where `spaces` are the characters
// that are spaces.
std::vector<std::string_view> SplitAtSpaces(std::string_view text,
                                            std::string_view spaces,
                                            int64_t most, bool from_right);

// Sets of code points: where ranges begin and end (the end is not in it), by
// turns, in order.
using CodeRanges = std::vector<int32_t>;

// Tells whether a text has some character of `some`, and none of `none`.
bool HasSomeAndNone(std::string_view text, const CodeRanges& some,
                    const CodeRanges& none);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_UNICODE_TEXT_H_
