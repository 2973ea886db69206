#include "kernels/core/frame_key_map.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "gtest/gtest.h"

namespace recursive_tf {
namespace {

using Map = FrameKeyMap<std::string>;

bool Insert(Map* map, uint64_t key, std::string value) {
  return map->Insert(key, value);
}

TEST(FrameKeyMapTest, AnEmptyMapHasNoKey) {
  Map map;
  std::string value;
  EXPECT_EQ(map.Find(1), nullptr);
  EXPECT_FALSE(map.Take(1, &value));
  EXPECT_EQ(map.size(), 0u);
}

TEST(FrameKeyMapTest, TakeForgets) {
  Map map;
  EXPECT_TRUE(Insert(&map, 7, "seven"));
  std::string value;
  ASSERT_TRUE(map.Take(7, &value));
  EXPECT_EQ(value, "seven");
  EXPECT_FALSE(map.Take(7, &value));
  EXPECT_EQ(map.size(), 0u);
}

TEST(FrameKeyMapTest, ARefusedValueIsUntouched) {
  Map map;
  Insert(&map, 7, "old");
  std::string value = "new";
  EXPECT_FALSE(map.Insert(7, value));
  EXPECT_EQ(value, "new");
  EXPECT_EQ(*map.Find(7), "old");
}

TEST(FrameKeyMapTest, EveryKeyIsAsGoodAsAnother) {
  constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();
  Map map;
  Insert(&map, 1, "one");
  EXPECT_EQ(map.Find(0), nullptr);
  EXPECT_EQ(map.Find(kLast), nullptr);
  EXPECT_TRUE(Insert(&map, 0, "zero"));
  EXPECT_TRUE(Insert(&map, kLast, "last"));
  EXPECT_EQ(*map.Find(0), "zero");
  EXPECT_EQ(*map.Find(kLast), "last");
}

TEST(FrameKeyMapTest, TakeKeepsNoCopy) {
  FrameKeyMap<std::shared_ptr<int>> map;
  auto value = std::make_shared<int>(1);
  std::weak_ptr<int> alive = value;
  map.Insert(1, value);
  map.Take(1, &value);
  value.reset();
  EXPECT_TRUE(alive.expired());
}

// Few distinct keys, so that they come and go, and share homes.
TEST(FrameKeyMapTest, AgreesWithUnorderedMapOnRandomCalls) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Map map;
    std::unordered_map<uint64_t, std::string> oracle;
    const uint64_t num_keys = 8 << (seed % 8);
    for (int step = 0; step < 20000; ++step) {
      const uint64_t key = random() % num_keys;
      const auto expected = oracle.find(key);
      if (random() % 2 == 0) {
        std::string text = std::to_string(step);
        ASSERT_EQ(map.Insert(key, text), expected == oracle.end());
        oracle.emplace(key, std::to_string(step));
      } else {
        std::string taken;
        ASSERT_EQ(map.Take(key, &taken), expected != oracle.end());
        if (expected != oracle.end()) {
          ASSERT_EQ(taken, expected->second);
          oracle.erase(expected);
        }
      }
      ASSERT_EQ(map.size(), oracle.size());
    }
    for (uint64_t key = 0; key < num_keys; ++key) {
      const std::string* found = map.Find(key);
      const auto expected = oracle.find(key);
      ASSERT_EQ(found != nullptr, expected != oracle.end());
      if (found == nullptr) continue;
      ASSERT_EQ(*found, expected->second);
    }
    size_t num_visited = 0;
    map.ForEach([&](const std::string&) { ++num_visited; });
    EXPECT_EQ(num_visited, oracle.size());
  }
}

}  // namespace
}  // namespace recursive_tf
