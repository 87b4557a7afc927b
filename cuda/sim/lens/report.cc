// What was seen, as JSON.
#include "../driver/lens.h"
#include "lines.h"

#include <algorithm>
#include <cstdarg>

namespace sim::lens {
namespace {

constexpr size_t worst_lines = 3; // of a kernel, in each space

void print(std::string &to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print(std::string &to, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    to += text;
}

using N = unsigned long long;

// worst returns the places whose requests take most beyond the least.
std::vector<Place> worst(const std::unordered_map<Place, Requests> &requests)
{
    std::vector<Place> places;
    for (auto &[place, r] : requests)
        if (r.took > r.least) places.push_back(place);
    std::sort(places.begin(), places.end(), [&](Place a, Place b) {
        const Requests &x = requests.at(a), &y = requests.at(b);
        return std::make_pair(y.took - y.least, a) < std::make_pair(x.took - x.least, b);
    });
    if (places.size() > worst_lines) places.resize(worst_lines);
    return places;
}

// busiest returns the place whose requests take most, 0 where there is none.
Place busiest(const std::unordered_map<Place, Requests> &requests)
{
    Place most = 0;
    uint64_t took = 0;
    for (auto &[place, r] : requests)
        if (r.took > took || (r.took == took && place < most)) most = place, took = r.took;
    return most;
}

Requests sum(const std::unordered_map<Place, Requests> &requests)
{
    Requests all;
    for (auto &[place, r] : requests) all.add(r);
    return all;
}

void print_requests(std::string &to, const char *name, const Requests &r)
{
    print(to, "\"%s\":{\"requests\":%llu,\"lanes\":%llu,\"took\":%llu,\"least\":%llu}", name, N(r.number), N(r.lanes),
          N(r.took), N(r.least));
}

void print_line(std::string &to, int space, Place place, const Requests &r)
{
    print(to, "{\"line\":\"%s\",", line_of(place).c_str());
    print_requests(to, space ? "shared" : "device", r);
    to += '}';
}

void print_kernel(std::string &to, const std::string &name, const Totals &t)
{
    print(to, "{\"name\":\"%s\",\"launches\":%llu,\"blocks\":%llu,\"threads\":%llu,", name.c_str(), N(t.launches),
          N(t.blocks), N(t.threads));
    print_requests(to, "device", sum(t.requests[0]));
    to += ',';
    print_requests(to, "shared", sum(t.requests[1]));
    print(to, ",\"read_sectors\":%llu,\"written_sectors\":%llu", N(t.read_sectors), N(t.written_sectors));
    print(to, ",\"exponentials32\":%llu,\"exponentials64\":%llu", N(t.exponentials32), N(t.exponentials64));
    uint64_t warps = 0, lanes = 0, flops32 = 0, flops64 = 0, divisions32 = 0, divisions64 = 0;
    for (auto &[place, r] : t.runs) {
        const Arithmetic a = arithmetic_of(place);
        warps += r.warps;
        lanes += r.lanes;
        flops32 += r.lanes * a.flops32;
        flops64 += r.lanes * a.flops64;
        divisions32 += r.lanes * a.divisions32;
        divisions64 += r.lanes * a.divisions64;
    }
    print(to, ",\"flops32\":%llu,\"flops64\":%llu", N(flops32), N(flops64));
    print(to, ",\"divisions32\":%llu,\"divisions64\":%llu", N(divisions32), N(divisions64));
    print(to, ",\"runs\":%llu,\"run_lanes\":%llu,\"chain\":%llu,\"lines\":[", N(warps), N(lanes), N(t.chain));
    const char *comma = "";
    for (int space = 0; space < 2; space++)
        for (Place place : worst(t.requests[space])) {
            to += comma;
            print_line(to, space, place, t.requests[space].at(place));
            comma = ",";
        }
    to += ']';
    if (const Place place = busiest(t.requests[0])) {
        to += ",\"busiest\":";
        print_line(to, 0, place, t.requests[0].at(place));
    }
    to += '}';
}

} // namespace

Seen &seen()
{
    static auto *s = new Seen;
    return *s;
}

void report(std::string &to)
{
    std::set<Place> places;
    for (auto &[key, f] : seen().findings) places.insert({key.place, key.other});
    for (auto &[name, t] : seen().kernels)
        for (auto &requests : t.requests) {
            for (Place place : worst(requests)) places.insert(place);
            places.insert(busiest(requests));
        }
    learn_lines(places);
    to = "{\"kernels\":[";
    const char *comma = "";
    for (auto &[name, t] : seen().kernels) {
        to += comma;
        print_kernel(to, name, t);
        comma = ",\n";
    }
    to += "],\n\"findings\":[";
    comma = "";
    for (auto &[key, f] : seen().findings) {
        print(to, "%s{\"what\":\"%s\",\"kernel\":\"%s\",", comma, key.what.c_str(), key.kernel.c_str());
        print(to, "\"line\":\"%s\",\"other\":\"%s\",", line_of(key.place).c_str(), line_of(key.other).c_str());
        print(to, "\"times\":%llu,\"example\":\"%s\",", N(f.times), f.example.c_str());
        print(to, "\"intended\":\"%s\"}", f.why.c_str());
        comma = ",\n";
    }
    to += "]}\n";
    seen() = Seen{};
}

} // namespace sim::lens
