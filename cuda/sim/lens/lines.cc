#include "lines.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

namespace sim::lens {
namespace {

std::string library()
{
    Dl_info info;
    dladdr(reinterpret_cast<void *>(&library), &info);
    return info.dli_fname;
}

std::map<Place, std::string> &lines()
{
    static auto *l = new std::map<Place, std::string>;
    return *l;
}

// is_helper says whether a file has what kernels share, so that the line that uses it says more.
bool is_helper(const std::string &file)
{
    for (const char *name : {"words.h", "lanes.h", "vectors.h", "vectors.cuh", "threads.cuh"})
        if (file == name) return true;
    return false;
}

} // namespace

Arithmetic arithmetic_of(Place block)
{
    static const auto *all = [] {
        auto *map = new std::unordered_map<Place, Arithmetic>;
        const std::string path = library();
        if (FILE *f = fopen((path.substr(0, path.rfind('/')) + "/blocks.txt").c_str(), "r")) {
            unsigned place;
            Arithmetic a;
            while (fscanf(f, "%x %u %u %u %u", &place, &a.flops32, &a.flops64, &a.divisions32, &a.divisions64) == 5)
                (*map)[place] = a;
            fclose(f);
        }
        return map;
    }();
    const auto found = all->find(block);
    return found == all->end() ? Arithmetic{} : found->second;
}

std::string line_of(Place place)
{
    const auto found = lines().find(place);
    return found == lines().end() ? "" : found->second;
}

void learn_lines(const std::set<Place> &places)
{
    std::string command = "addr2line -a -i -e '" + library() + "'";
    char text[4096];
    bool any = false;
    for (Place p : places) {
        if (!p || lines().count(p)) continue;
        snprintf(text, sizeof text, " %#x", p - 1); // in the call, not behind it
        command += text;
        any = true;
    }
    FILE *f = any ? popen(command.c_str(), "r") : nullptr;
    if (!f) return;
    // For each place its address, the innermost line there, and the lines that it was inlined into.
    Place place = 0;
    bool named = false;
    while (fgets(text, sizeof text, f)) {
        text[strcspn(text, " \n")] = 0; // a discriminator may follow
        if (!strncmp(text, "0x", 2)) {
            place = Place(strtoul(text, nullptr, 16)) + 1;
            named = false;
            continue;
        }
        const char *slash = strrchr(text, '/');
        const std::string line = slash ? slash + 1 : text;
        if (named) continue;
        lines()[place] = line;
        named = !is_helper(line.substr(0, line.find(':')));
    }
    pclose(f);
}

} // namespace sim::lens
