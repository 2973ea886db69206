#include "kernels/core/register_lifetimes.h"

#include <algorithm>
#include <utility>

namespace recursive_tf {

namespace {

using Kind = BatchedUnit::Kind;

// What has surely happened: [event], then [number of events + unit].
using Facts = std::vector<bool>;

void Intersect(const Facts& other, Facts* facts) {
  for (size_t i = 0; i < facts->size(); ++i) {
    (*facts)[i] = (*facts)[i] && other[i];
  }
}

void Unite(const Facts& other, Facts* facts) {
  for (size_t i = 0; i < facts->size(); ++i) {
    (*facts)[i] = (*facts)[i] || other[i];
  }
}

class LifetimeFinder final {
 public:
  LifetimeFinder(const BatchedProgram& program, const BatchedBody& body)
      : body_(body),
        num_units_(static_cast<int>(body.units.size())),
        producers_(body.num_events),
        awaited_(num_units_),
        readers_(body.num_registers),
        writers_(body.num_registers) {
    for (int e = 0; e < body.num_events; ++e) {
      for (int u : body.dependents[e]) awaited_[u].push_back(e);
    }
    for (int u = 0; u < num_units_; ++u) ReadUnit(program, u);
  }

  LastUses Find() {
    FindFacts();
    LastUses uses;
    uses.units.resize(num_units_);
    uses.regions.resize(num_units_);
    for (int reg = 0; reg < body_.num_registers; ++reg) {
      // What reads a register starts after what wrote it: of writers only
      // regions, which may have none, must know.
      std::vector<int> last_users;
      for (int u : readers_[reg]) {
        const std::vector<int>& writers = writers_[reg];
        if (std::count(writers.begin(), writers.end(), u) == 0 &&
            AreOver(readers_[reg], unit_facts_[u], u)) {
          last_users.push_back(u);
          uses.units[u].push_back(reg);
        }
      }
      FindInRegions(reg, last_users, &uses);
    }
    return uses;
  }

 private:
  void ReadUnit(const BatchedProgram& program, int u) {
    const BatchedUnit& unit = body_.units[u];
    for (int event : unit.events) producers_[event].push_back(u);
    if (unit.event >= 0) producers_[unit.event].push_back(u);
    if (unit.predicate >= 0) AddOnce(u, &readers_[unit.predicate]);
    for (int reg : unit.args) AddOnce(u, &readers_[reg]);
    for (int reg : unit.results) {
      if (reg >= 0) AddOnce(u, &writers_[reg]);
    }
    for (const RegisterCopy& copy : unit.copies) {
      AddOnce(u, &readers_[copy.source]);
      if (unit.kind == Kind::kCopy) AddOnce(u, &writers_[copy.target]);
    }
    if (unit.kind != Kind::kBlock) return;
    const BatchedBlock& block = program.blocks[unit.block];
    for (const auto& input : block.inputs) AddOnce(u, &readers_[input.reg]);
    for (const auto& output : block.outputs) {
      if (output.reg >= 0) AddOnce(u, &writers_[output.reg]);
    }
  }

  static void AddOnce(int unit, std::vector<int>* units) {
    if (units->empty() || units->back() != unit) units->push_back(unit);
  }

  // All is assumed to have happened until the contrary is found.
  void FindFacts() {
    const Facts all(body_.num_events + num_units_, true);
    event_facts_.assign(body_.num_events, all);
    unit_facts_.assign(num_units_, all);
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (int e = 0; e < body_.num_events; ++e) {
        Facts facts = producers_[e].empty() && e != 0 ? all : Facts(all.size());
        if (!producers_[e].empty()) facts = all;
        for (int u : producers_[e]) {
          Facts before = unit_facts_[u];
          before[body_.num_events + u] = true;
          Intersect(before, &facts);
        }
        facts[e] = true;
        has_changed |= Update(std::move(facts), &event_facts_[e]);
      }
      for (int u = 0; u < num_units_; ++u) {
        const bool waits_for_all =
            body_.units[u].pending == static_cast<int>(awaited_[u].size());
        Facts facts = waits_for_all ? Facts(all.size()) : all;
        for (int e : awaited_[u]) {
          if (waits_for_all) {
            Unite(event_facts_[e], &facts);
          } else {
            Intersect(event_facts_[e], &facts);
          }
        }
        has_changed |= Update(std::move(facts), &unit_facts_[u]);
      }
    }
  }

  static bool Update(Facts facts, Facts* target) {
    if (facts == *target) return false;
    *target = std::move(facts);
    return true;
  }

  // Whether `facts` tell that some switch did not choose the way to `unit`.
  bool IsExcluded(int unit, const Facts& facts) const {
    for (const BatchedUnit& other : body_.units) {
      if (other.kind != Kind::kSwitch) continue;
      for (int a : other.events) {
        if (!facts[a] || producers_[a].size() > 1) continue;
        for (int b : other.events) {
          if (a != b && unit_facts_[unit][b] && producers_[b].size() == 1) {
            return true;
          }
        }
      }
    }
    return false;
  }

  // Whether each of `units` but `except` has run or will not run.
  bool AreOver(const std::vector<int>& units, const Facts& facts,
               int except) const {
    return std::all_of(units.begin(), units.end(), [&](int unit) {
      return unit == except || facts[body_.num_events + unit] ||
             IsExcluded(unit, facts);
    });
  }

  void FindInRegions(int reg, const std::vector<int>& last_users,
                     LastUses* uses) const {
    if (readers_[reg].empty()) return;
    for (int s = 0; s < num_units_; ++s) {
      const BatchedUnit& unit = body_.units[s];
      if (unit.kind != Kind::kSwitch) continue;
      uses->regions[s].resize(unit.events.size());
      for (size_t k = 0; k < unit.events.size(); ++k) {
        const Facts& facts = event_facts_[unit.events[k]];
        const bool was_dead =
            std::any_of(last_users.begin(), last_users.end(),
                        [&](int u) { return facts[body_.num_events + u]; });
        if (!was_dead && producers_[unit.events[k]].size() == 1 &&
            AreOver(readers_[reg], facts, /*except=*/-1) &&
            AreOver(writers_[reg], facts, /*except=*/-1)) {
          uses->regions[s][k].push_back(reg);
        }
      }
    }
  }

  const BatchedBody& body_;
  const int num_units_;
  std::vector<std::vector<int>> producers_;  // Units, by event.
  std::vector<std::vector<int>> awaited_;    // Events, by unit.
  std::vector<std::vector<int>> readers_;    // Units, by register.
  std::vector<std::vector<int>> writers_;
  std::vector<Facts> event_facts_;
  std::vector<Facts> unit_facts_;
};

}  // namespace

LastUses FindLastUses(const BatchedProgram& program, const BatchedBody& body) {
  const bool has_loops = std::any_of(
      body.units.begin(), body.units.end(), [](const BatchedUnit& unit) {
        return unit.kind == Kind::kLoopStart || unit.kind == Kind::kLoopTest ||
               unit.kind == Kind::kLoopNext;
      });
  if (!has_loops) return LifetimeFinder(program, body).Find();
  LastUses none;
  none.units.resize(body.units.size());
  none.regions.resize(body.units.size());
  for (size_t u = 0; u < body.units.size(); ++u) {
    none.regions[u].resize(body.units[u].events.size());
  }
  return none;
}

RegisterEnds FindRegisterEnds(const BatchedBody& body, LastUses uses) {
  RegisterEnds ends;
  ends.units = std::move(uses.units);
  ends.regions = std::move(uses.regions);
  for (size_t u = 0; u < body.units.size(); ++u) {
    const BatchedUnit& unit = body.units[u];
    std::vector<int>& last = ends.units[u];
    std::vector<int> read;
    if (unit.kind == Kind::kCall) read = unit.args;
    if (unit.kind == Kind::kCopy || unit.kind == Kind::kReturn) {
      for (const RegisterCopy& copy : unit.copies) read.push_back(copy.source);
    }
    std::vector<bool> moves(read.size());
    for (size_t i = read.size(); i-- > 0;) {
      const auto found = std::find(last.begin(), last.end(), read[i]);
      if (found == last.end()) continue;
      moves[i] = true;
      last.erase(found);
    }
    ends.moves.push_back(std::move(moves));
    if (unit.kind != Kind::kSwitch) continue;
    for (std::vector<int>& registers : ends.regions[u]) {
      registers.insert(registers.end(), last.begin(), last.end());
    }
    last.clear();
  }
  return ends;
}

}  // namespace recursive_tf
