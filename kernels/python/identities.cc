#include "kernels/python/identities.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace recursive_tf {
namespace {

constexpr char kFormats[] =
    "Identities: an entry is none of those that are known";

// Returns the dict of an object's own attributes; null with an exception set.
PyRef DictOf(PyObject* owner, bool has_plain_dict) {
  if (has_plain_dict) {
    return PyRef::Steal(PyObject_GenericGetDict(owner, nullptr));
  }
  return PyRef::Steal(PyObject_GetAttrString(owner, "__dict__"));
}

}  // namespace

std::unique_ptr<Identities> Identities::Parse(PyObject* entries) {
  if (!PyTuple_Check(entries)) {
    PyErr_SetString(PyExc_TypeError, "Identities: a tuple is needed");
    return nullptr;
  }
  std::unique_ptr<Identities> made(new Identities());
  const Py_ssize_t count = PyTuple_Size(entries);
  made->places_.reserve(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!made->Add(PyTuple_GetItem(entries, i))) return nullptr;
  }
  return made;
}

bool Identities::AddObjects(PyObject* objects) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(objects); ++i) {
    objects_.push_back(PyRef::Borrow(PyTuple_GetItem(objects, i)));
  }
  return true;
}

bool Identities::Add(PyObject* entry) {
  const char* kind = nullptr;
  PyObject* owner = nullptr;
  PyObject* first = nullptr;
  PyObject* second = nullptr;
  PyObject* third = nullptr;
  PyObject* fourth = nullptr;
  if (!PyTuple_Check(entry)) {
    PyErr_SetString(PyExc_TypeError, kFormats);
    return false;
  }
  if (!PyArg_ParseTuple(entry, "sO|OOOO:Identities", &kind, &owner, &first,
                        &second, &third, &fourth)) {
    return false;
  }
  const Py_ssize_t count = PyTuple_Size(entry);
  const auto is = [&](const char* name, Py_ssize_t size) {
    return std::strcmp(kind, name) == 0 && count == size;
  };
  Place place;
  place.owner = PyRef::Borrow(owner);
  place.begin = objects_.size();
  PyObject* names = nullptr;
  PyObject* values = nullptr;
  if (is("elements", 3) && PyList_Check(owner) && PyTuple_Check(first)) {
    place.kind = Kind::kElements;
    values = first;
  } else if (is("items", 4) && PyDict_Check(owner) && PyTuple_Check(first) &&
             PyTuple_Check(second) &&
             PyTuple_Size(first) == PyTuple_Size(second)) {
    place.kind = Kind::kItems;
    names = first;
    values = second;
  } else if (is("attributes", 6) && PyType_Check(first) &&
             PyLong_Check(second) && PyTuple_Check(third) &&
             PyTuple_Check(fourth) &&
             PyTuple_Size(third) == PyTuple_Size(fourth)) {
    place.kind = Kind::kAttributes;
    place.type = PyRef::Borrow(first);
    place.size = PyLong_AsSsize_t(second);
    names = third;
    values = fourth;
    const PyRef plain = DictOf(owner, true);
    if (!plain) PyErr_Clear();
    const PyRef found = DictOf(owner, false);
    if (!found) return false;
    place.has_plain_dict = plain.get() == found.get();
  } else if (is("names", 5) && PyDict_Check(owner) && PyLong_Check(first) &&
             PyTuple_Check(second) && PyTuple_Check(third) &&
             PyTuple_Size(third) <= PyTuple_Size(second)) {
    place.kind = Kind::kNames;
    place.size = PyLong_AsSsize_t(first);
    names = second;
    values = third;
  } else if (is("attribute", 4)) {
    place.kind = Kind::kAttribute;
    objects_.push_back(PyRef::Borrow(first));
    objects_.push_back(PyRef::Borrow(second));
  } else if (is("type", 3) && PyType_Check(first)) {
    place.kind = Kind::kType;
    place.type = PyRef::Borrow(first);
  } else {
    PyErr_SetString(PyExc_TypeError, kFormats);
    return false;
  }
  if (PyErr_Occurred() != nullptr) return false;  // A size is too large.
  if (names != nullptr) {
    place.num_names = PyTuple_Size(names);
    AddObjects(names);
  }
  if (values != nullptr) {
    place.num_values = PyTuple_Size(values);
    AddObjects(values);
  }
  places_.push_back(std::move(place));
  return true;
}

Py_ssize_t Identities::FirstOther(Py_ssize_t start) {
  const auto count = static_cast<Py_ssize_t>(places_.size());
  for (Py_ssize_t i = std::max<Py_ssize_t>(start, 0); i < count; ++i) {
    switch (Compare(&places_[i])) {
      case Answer::kSame:
        break;
      case Answer::kOther:
        return i;
      case Answer::kError:
        return kError;
    }
  }
  return kNone;
}

Identities::Answer Identities::Compare(Place* place) {
  PyObject* owner = place->owner.get();
  switch (place->kind) {
    case Kind::kElements:
      return CompareElements(*place);
    case Kind::kItems:
      return CompareItems(*place);
    case Kind::kAttributes:
      return CompareAttributes(place);
    case Kind::kNames:
      return CompareNames(owner, place);
    case Kind::kAttribute: {
      PyObject* name = objects_[place->begin].get();
      const PyRef now = PyRef::Steal(PyObject_GetAttr(owner, name));
      if (now) {
        return now.get() == objects_[place->begin + 1].get() ? Answer::kSame
                                                             : Answer::kOther;
      }
      if (!PyErr_ExceptionMatches(PyExc_Exception)) return Answer::kError;
      PyErr_Clear();
      return Answer::kOther;
    }
    case Kind::kType:
      break;
  }
  return reinterpret_cast<PyObject*>(Py_TYPE(owner)) == place->type.get()
             ? Answer::kSame
             : Answer::kOther;
}

Identities::Answer Identities::CompareElements(const Place& place) const {
  PyObject* list = place.owner.get();
  if (PyList_Size(list) != place.num_values) return Answer::kOther;
  for (Py_ssize_t i = 0; i < place.num_values; ++i) {
    if (PyList_GetItem(list, i) != objects_[place.begin + i].get()) {
      return Answer::kOther;
    }
  }
  return Answer::kSame;
}

Identities::Answer Identities::CompareItems(const Place& place) const {
  PyObject* dict = place.owner.get();
  if (PyDict_Size(dict) != place.num_names) return Answer::kOther;
  Py_ssize_t position = 0;
  PyObject* key;
  PyObject* value;
  for (size_t i = place.begin; PyDict_Next(dict, &position, &key, &value);
       ++i) {
    if (key != objects_[i].get() ||
        value != objects_[i + place.num_names].get()) {
      return Answer::kOther;
    }
  }
  return Answer::kSame;
}

Identities::Answer Identities::CompareAttributes(Place* place) const {
  PyObject* owner = place->owner.get();
  if (reinterpret_cast<PyObject*>(Py_TYPE(owner)) != place->type.get()) {
    return Answer::kOther;
  }
  const PyRef dict = DictOf(owner, place->has_plain_dict);
  if (!dict) return Answer::kError;
  return PyDict_Check(dict.get()) ? CompareNames(dict.get(), place)
                                  : Answer::kOther;
}

// Names are looked up one by one. Where all items have been passed before and
// are to be as many, they are passed in their order instead, which touches a
// third of the memory.
Identities::Answer Identities::CompareNames(PyObject* dict,
                                            Place* place) const {
  if (place->size >= 0 && PyDict_Size(dict) != place->size) {
    return Answer::kOther;
  }
  if (IsAsPassed(dict, *place)) return Answer::kSame;
  for (Py_ssize_t i = 0; i < place->num_names; ++i) {
    PyObject* now =
        PyDict_GetItemWithError(dict, objects_[place->begin + i].get());
    if (now == nullptr && PyErr_Occurred() != nullptr) return Answer::kError;
    PyObject* then = nullptr;
    if (i < place->num_values) {
      then = objects_[place->begin + place->num_names + i].get();
    }
    if (now != then) return Answer::kOther;
  }
  NotePassed(dict, place);
  return Answer::kSame;
}

bool Identities::IsAsPassed(PyObject* dict, const Place& place) const {
  if (place.passed.empty()) return false;
  Py_ssize_t position = 0;
  PyObject* key;
  PyObject* value;
  for (const Passed& passed : place.passed) {
    if (!PyDict_Next(dict, &position, &key, &value) ||
        key != passed.key.get() ||
        (passed.value != nullptr && value != passed.value)) {
      return false;
    }
  }
  return true;  // The dict has as many items, which was compared before.
}

// All names are in the dict, with their values.
void Identities::NotePassed(PyObject* dict, Place* place) const {
  std::vector<Passed> all;  // Its old content goes last.
  if (place->size >= 0 && place->num_values == place->num_names) {
    const auto names = objects_.begin() + static_cast<Py_ssize_t>(place->begin);
    const auto end = names + place->num_names;
    all.reserve(place->size);
    Py_ssize_t position = 0;
    PyObject* key;
    PyObject* value;
    Py_ssize_t num_found = 0;
    while (PyDict_Next(dict, &position, &key, &value)) {
      const auto found = std::find_if(
          names, end, [&](const PyRef& name) { return name.get() == key; });
      num_found += found != end;
      all.push_back(
          {PyRef::Borrow(key),
           found == end ? nullptr : (found + place->num_names)->get()});
    }
    // A name that is another object than the key is looked up.
    if (num_found != place->num_names) all.clear();
  }
  std::swap(place->passed, all);
}

int Identities::Visit(visitproc visit, void* arg) const {
  for (const Place& place : places_) {
    Py_VISIT(place.owner.get());
    Py_VISIT(place.type.get());
    for (const Passed& passed : place.passed) Py_VISIT(passed.key.get());
  }
  for (const PyRef& object : objects_) Py_VISIT(object.get());
  return 0;
}

}  // namespace recursive_tf
