#ifndef EXAMPLES_SERVE_CPP_WORDS_H_
#define EXAMPLES_SERVE_CPP_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace serve {

// Returns the lines of a text file. Throws std::runtime_error if it cannot be
// read.
std::vector<std::string> ReadLines(const std::string& path);

// Returns the length in bytes of the character that `text` begins with, 0 if
// that is no UTF-8.
size_t Utf8Length(std::string_view text);

// The ids of the words that a model knows, read from the `assets.extra` of its
// export.
class Words {
 public:
  explicit Words(const std::string& folder);

  // Returns the id of a word in UTF-8, 0 for those that the model does not
  // know.
  int32_t Id(std::string_view word) const;

  // Returns whether the lower case of `word` depends on where in it a character
  // stands, which the table of the export does not know: that of a capital
  // sigma.
  bool IsAmbiguous(std::string_view word) const;

 private:
  std::string Lowercase(std::string_view word) const;

  std::unordered_map<std::string, int32_t> ids_;
  std::unordered_map<std::string, std::string>
      lowercase_;  // Empty where case matters.
};

}  // namespace serve

#endif  // EXAMPLES_SERVE_CPP_WORDS_H_
