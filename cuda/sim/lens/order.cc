#include "order.h"

#include <algorithm>

namespace sim::lens {

void Order::begin_launch(size_t threads)
{
    began_launch = ++now;
    known.assign(threads, Lanes{});
}

void Order::exchange(int first, unsigned mask)
{
    now++;
    Lanes joined;
    for (unsigned left = mask; left; left &= left - 1) {
        const Lanes &mine = known[first + __builtin_ctz(left)];
        for (int l = 0; l < 32; l++) joined.time[l] = std::max(joined.time[l], mine.time[l]);
    }
    for (int l = 0; l < 32; l++)
        if (mask >> l & 1) joined.time[l] = now;
    for (unsigned left = mask; left; left &= left - 1) known[first + __builtin_ctz(left)] = joined;
}

} // namespace sim::lens
