// Classifies trees in brackets from standard input, one a line, without Python.
//
//     serve_trees EXPORT_DIR KERNELS [--batch N] [--threads N] < trees.txt
//
// For each tree it prints the number of its line, its class, and the
// probabilities of all classes in the order of assets.extra/classes.txt,
// divided by tabs. Exit status: 0, 1 if lines were bad, 2 if the program cannot
// be loaded or run.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/log/globals.h"
#include "bracket_reader.h"
#include "packed_trees.h"
#include "tree_program.h"
#include "words.h"

namespace serve {
namespace {

constexpr int kBadLines = 1;
constexpr int kFailed = 2;
constexpr int kMostThreads = 127;  // One byte of a varint; see ThreadsConfig.
constexpr int kNumLabels =
    5;  // Treebanks' labels 0..4, whatever the model predicts.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr char kUsage[] =
    "usage: serve_trees EXPORT_DIR KERNELS [--batch N] [--threads N]";

struct Options {
  std::string directory;
  std::string kernels;
  int batch = 64;   // Trees that are computed together.
  int threads = 2;  // To compute on.
};

int ParseCount(const std::string& option, const char* text, int most) {
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || count < 1 || count > most) {
    throw std::runtime_error(option + " is '" + text + "', expected 1 to " +
                             std::to_string(most) + ". " + kUsage);
  }
  return static_cast<int>(count);
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  std::vector<std::string> places;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_batch = argument == "--batch";
    if (is_batch || argument == "--threads") {
      const char* const value = i + 1 < argc ? argv[++i] : "";
      int* const target = is_batch ? &options.batch : &options.threads;
      *target = ParseCount(argument, value, is_batch ? 1 << 20 : kMostThreads);
    } else {
      places.push_back(argument);
    }
  }
  if (places.size() != 2) throw std::runtime_error(kUsage);
  options.directory = places[0];
  options.kernels = places[1];
  return options;
}

// Computes the trees and prints a line for each; `numbers` are those of their
// lines.
void Classify(const TreeProgram& program,
              const std::vector<std::string>& classes, const PackedTrees& trees,
              const std::vector<long>& numbers) {
  if (trees.roots.empty()) return;
  const std::vector<float> found = program.ClassifyRoots(trees);
  const size_t num_classes = classes.size();
  if (found.size() != numbers.size() * num_classes) {
    throw std::runtime_error(
        "classes.txt does not name the classes of the program.");
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float* const row = &found[i * num_classes];
    const size_t best =
        static_cast<size_t>(std::max_element(row, row + num_classes) - row);
    std::printf("%ld\t%s", numbers[i], classes[best].c_str());
    for (size_t k = 0; k < num_classes; ++k) std::printf("\t%.9g", row[k]);
    std::printf("\n");
  }
  if (std::fflush(stdout) != 0)
    throw std::runtime_error("standard output cannot be written.");
}

int Serve(const Options& options) {
  const std::string extra = options.directory + "/assets.extra";
  const std::vector<std::string> classes = ReadLines(extra + "/classes.txt");
  const Words words(extra);
  const TreeProgram program(options.directory, options.kernels,
                            options.threads);
  PackedTrees trees;
  std::vector<long> numbers;
  bool has_bad_lines = false;
  std::string line;
  for (long number = 1; std::getline(std::cin, line); ++number) {
    if (number == 1 &&
        line.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) {
      line.erase(0, kByteOrderMark.size());
    }
    if (line.find_first_not_of(" \t\r\n\v\f") == std::string::npos) continue;
    try {
      ReadTree(line, kNumLabels, words, &trees);
      numbers.push_back(number);
    } catch (const BadLine& error) {
      has_bad_lines = true;
      std::fprintf(stderr, "%ld:%zu: %s\n", number, error.column(),
                   error.what());
    }
    if (numbers.size() == static_cast<size_t>(options.batch)) {
      Classify(program, classes, trees, numbers);
      trees = PackedTrees();
      numbers.clear();
    }
  }
  Classify(program, classes, trees, numbers);
  return has_bad_lines ? kBadLines : 0;
}

}  // namespace
}  // namespace serve

int main(int argc, char** argv) {
  // What fails comes as a status and is printed below; the rest is notes.
  if (std::getenv("TF_CPP_MIN_LOG_LEVEL") == nullptr) {
    absl::SetMinLogLevel(absl::LogSeverityAtLeast::kFatal);
  }
  try {
    return serve::Serve(serve::ParseOptions(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "serve_trees: %s\n", error.what());
    return serve::kFailed;
  }
}
