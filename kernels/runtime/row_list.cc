#include "kernels/runtime/row_list.h"

#include <utility>

namespace recursive_tf {

RowList::RowList(Part part) : node_(std::make_shared<Node>()) {
  node_->part = std::move(part);
}

RowList RowList::Sum(const RowList& first, const RowList& second) {
  if (first.node_ == nullptr) return second;
  if (second.node_ == nullptr) return first;
  RowList sum;
  sum.node_ = std::make_shared<Node>();
  sum.node_->first = first.node_;
  sum.node_->second = second.node_;
  return sum;
}

std::vector<const RowList::Part*> RowList::Parts() const {
  std::vector<const Part*> parts;
  std::vector<const Node*> agenda;
  if (node_ != nullptr) agenda.push_back(node_.get());
  while (!agenda.empty()) {
    const Node* node = agenda.back();
    agenda.pop_back();
    if (node->first == nullptr) {
      parts.push_back(&node->part);
    } else {
      agenda.push_back(node->second.get());
      agenda.push_back(node->first.get());
    }
  }
  return parts;
}

RowList::Node::~Node() {
  std::vector<std::shared_ptr<Node>> agenda;
  agenda.push_back(std::move(first));
  agenda.push_back(std::move(second));
  while (!agenda.empty()) {
    std::shared_ptr<Node> node = std::move(agenda.back());
    agenda.pop_back();
    // Nobody else has it: its lists are let go here, not by its own end. Where
    // another thread lets go of it meanwhile, that one takes over.
    if (node == nullptr || node.use_count() > 1) continue;
    agenda.push_back(std::move(node->first));
    agenda.push_back(std::move(node->second));
  }
}

}  // namespace recursive_tf
