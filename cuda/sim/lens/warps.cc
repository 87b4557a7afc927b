#include "warps.h"

#include <algorithm>

namespace sim::lens {
namespace {

// Cycles that a warp waits for its next instruction, coarsely: for a basic block, and where this reads memory, for the
// first reads, which the others follow closely.
constexpr uint64_t block_cycles = 10, shared_cycles = 30, device_cycles = 300;

constexpr size_t most_kept = 4096; // steps that a lane keeps room for

} // namespace

void Warps::begin_launch(size_t threads, uint32_t number, Shadow &memory)
{
    launch = number;
    device = &memory;
    lanes.resize(threads);
    cycles.resize((threads + 31) / 32);
    longest = 0;
}

void Warps::end_launch()
{
    running().totals->chain += longest;
}

void Warps::grid_barrier()
{
    running().totals->chain += longest;
    longest = 0;
}

void Warps::begin_block()
{
    for (Lane &l : lanes) {
        l.steps.clear();
        l.depth = 0;
        l.ended = false;
    }
    std::fill(cycles.begin(), cycles.end(), 0);
}

void Warps::meet(int first, unsigned mask)
{
    for (int l = 0; l < 32 && first + l < int(lanes.size()); l++)
        if (!(mask >> l & 1) && !lanes[first + l].ended) return;
    go_through(first);
}

void Warps::meet_all()
{
    for (size_t first = 0; first < lanes.size(); first += 32) go_through(int(first));
}

void Warps::ended(int thread)
{
    lanes[thread].ended = true;
    meet(thread / 32 * 32, 0);
}

// go_through repeats what the lanes of a warp did. Those go first that stand deepest in functions, and of them those at
// the least place in the code, all of one place together. So lanes that leave a loop wait behind it for those that stay
// in it, and lanes that a branch has parted wait where it ends: the code is laid out in the order of its source.
void Warps::go_through(int first)
{
    constexpr uint64_t done = ~uint64_t(0);
    const int n = std::min(32, int(lanes.size()) - first);
    uint64_t next[32];
    const Step *at[32], *end[32];
    const auto look = [&](int l) {
        next[l] = at[l] == end[l] ? done : uint64_t(255 - at[l]->depth) << 32 | at[l]->place;
    };
    for (int l = 0; l < 32; l++) next[l] = done;
    for (int l = 0; l < n; l++) {
        at[l] = lanes[first + l].steps.data();
        end[l] = at[l] + lanes[first + l].steps.size();
        look(l);
    }
    uint64_t mine = 0, waited = 0; // in the basic block
    for (;;) {
        uint64_t least = done;
        for (int l = 0; l < 32; l++) least = std::min(least, next[l]);
        if (least == done) break;
        const Step *step = nullptr;
        parts.clear();
        who.clear();
        for (int l = 0; l < n; l++) {
            if (next[l] != least) continue;
            step = at[l];
            parts.push_back({step->address, step->bytes});
            who.push_back(l);
            at[l]++;
            look(l);
        }
        if (step->kind != Kind::block) {
            request(*step);
            if (step->kind == Kind::write) continue;
            const uint64_t waits = step->space == Space::device ? device_cycles : shared_cycles;
            if (waits > waited) mine += waits - waited, waited = waits;
            continue;
        }
        mine += block_cycles;
        waited = 0;
        Runs &r = running().totals->runs[step->place];
        r.warps++;
        r.lanes += who.size();
    }
    cycles[first / 32] += mine;
    longest = std::max(longest, cycles[first / 32]);
    for (int l = 0; l < n; l++) {
        auto &steps = lanes[first + l].steps;
        steps.clear();
        if (steps.capacity() > most_kept) std::vector<Step>().swap(steps);
    }
}

// request counts a request, whose lanes and parts are those of one step. Lanes at one place may be in memory of both
// kinds, where a function was given either; the step's is counted.
void Warps::request(const Step &step)
{
    Totals &t = *running().totals;
    Requests r;
    r.number = 1;
    r.lanes = who.size();
    if (step.space == Space::shared) {
        r.took = turns_of(parts, who, step.kind == Kind::atomic);
        r.least = least_turns(parts, who);
    } else {
        const auto &sectors = sectors_of(parts);
        r.took = sectors.size();
        r.least = least_sectors(parts);
        for (uint64_t s : sectors) {
            if (step.kind != Kind::write && device->first_touch(s, Kind::read, launch)) t.read_sectors++;
            if (step.kind != Kind::read && device->first_touch(s, Kind::write, launch)) t.written_sectors++;
        }
    }
    t.requests[int(step.space)][step.place].add(r);
}

} // namespace sim::lens
