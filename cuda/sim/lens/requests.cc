#include "requests.h"

#include <algorithm>

namespace sim::lens {
namespace {

// A group is the lanes that shared memory serves together: 32, 16 or 8, by the bytes of an access.
int group_of(int lane, unsigned bytes) { return bytes > 8 ? lane / 8 : bytes > 4 ? lane / 16 : 0; }

} // namespace

const std::vector<uint64_t> &sectors_of(const std::vector<Part> &parts)
{
    static std::vector<uint64_t> sectors;
    sectors.clear();
    bool ascending = true;
    for (const Part &p : parts)
        for (uint64_t s = p.address / 32; s <= (p.address + p.bytes - 1) / 32; s++) {
            if (!sectors.empty() && sectors.back() == s) continue;
            ascending &= sectors.empty() || sectors.back() < s;
            sectors.push_back(s);
        }
    if (!ascending) {
        std::sort(sectors.begin(), sectors.end());
        sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    }
    return sectors;
}

uint64_t least_sectors(const std::vector<Part> &parts)
{
    static std::vector<Part> sorted;
    sorted = parts;
    const auto before = [](const Part &a, const Part &b) { return a.address < b.address; };
    if (!std::is_sorted(sorted.begin(), sorted.end(), before)) std::sort(sorted.begin(), sorted.end(), before);
    uint64_t wanted = 0, end = 0;
    for (const Part &p : sorted) {
        const uint64_t from = std::max(p.address, end), to = p.address + p.bytes;
        if (to > from) wanted += to - from;
        end = std::max(end, to);
    }
    return (wanted + 31) / 32;
}

uint64_t turns_of(const std::vector<Part> &parts, const std::vector<int> &lanes, bool atomic)
{
    static std::vector<uint64_t> words[4];
    for (auto &w : words) w.clear();
    for (size_t i = 0; i < parts.size(); i++)
        for (uint64_t w = parts[i].address / 4; w <= (parts[i].address + parts[i].bytes - 1) / 4; w++)
            words[group_of(lanes[i], parts[i].bytes)].push_back(w);
    uint64_t turns = 0;
    for (auto &wanted : words) {
        if (!atomic) {
            if (!std::is_sorted(wanted.begin(), wanted.end())) std::sort(wanted.begin(), wanted.end());
            wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        }
        uint64_t of_bank[32] = {}, most = 0;
        for (uint64_t w : wanted) most = std::max(most, ++of_bank[w % 32]);
        turns += most;
    }
    return turns;
}

uint64_t least_turns(const std::vector<Part> &parts, const std::vector<int> &lanes)
{
    unsigned groups = 0;
    for (size_t i = 0; i < parts.size(); i++) groups |= 1u << group_of(lanes[i], parts[i].bytes);
    return uint64_t(__builtin_popcount(groups));
}

} // namespace sim::lens
