// The lens finds every planted defect and says nothing about the mended twin.
#include "../checks.h"

#include <cmath>

namespace {

// A Report is what the lens saw since the last one.
struct Report {
    std::string text = grove_sim_text("lens");

    // number returns the number of a key of the only kernel, in a part of its figures where one is named.
    double number(const std::string &key, const std::string &part = "") const
    {
        size_t at = part.empty() ? 0 : text.find("\"" + part + "\":{");
        at = at == std::string::npos ? at : text.find("\"" + key + "\":", at);
        if (at == std::string::npos) return NAN;
        return atof(text.c_str() + at + key.size() + 3);
    }
    bool says(const std::string &what) const { return text.find(what) != std::string::npos; }
    bool clean() const { return says("\"findings\":[]"); }
};

// expect_found runs a kernel with its defect and mended.
template <class... T>
void expect_found(const char *what, const char *kernel, unsigned blocks, unsigned threads, T... arguments)
{
    Device d;
    for (int mended : {0, 1}) {
        Report();
        Array<float> out(std::vector<float>(4096, 0));
        OK(d.launch(kernel, blocks, threads, 0, out.at, arguments..., mended));
        out.host();
        const Report r;
        const bool found = r.says(what) && r.says(std::string("\"kernel\":\"") + kernel) && r.says("planted.cu:");
        const bool right = mended ? r.clean() : found;
        if (!right) printf("%s, mended %d:\n%s", kernel, mended, r.text.c_str());
        EXPECT(right);
    }
}

} // namespace

TEST(lens_finds_races_in_a_block)
{
    expect_found("race in a block: write, read", "race_in_block", 1, 64);
    expect_found("race in a block: read, write", "race_after_read", 1, 64);
    expect_found("race in a block: write, read", "race_in_warp", 1, 32);
    expect_found("race in a block: write, read", "race_of_halves", 1, 32);
    expect_found("race in a block", "race_with_atomics", 1, 32);
}

TEST(lens_finds_races_of_blocks_that_wait_for_each_other)
{
    Device d;
    Array<int> arrived(1);
    for (int mended : {0, 1}) {
        Report();
        Array<int> x(std::vector<int>(64, 0));
        OK(d.launch_together("race_between_blocks_together", 8, 32, x.at, arrived.at, mended));
        x.host();
        const Report r;
        EXPECT(mended ? r.clean() : r.says("race between blocks"));
    }
}

TEST(lens_finds_races_in_any_order)
{
    for (const char *order : {"reverse", "shuffled:1", "shuffled:2"}) {
        grove_sim_set_text("order", order);
        expect_found("race in a block", "race_in_block", 2, 64);
        expect_found("race in a block", "race_in_warp", 2, 32);
        expect_found("race between blocks", "race_between_blocks", 3, 32);
    }
}

TEST(lens_finds_races_between_blocks)
{
    expect_found("race between blocks: write, write", "race_between_blocks", 3, 32);
}

TEST(lens_knows_races_that_are_intended)
{
    Device d;
    Array<int> most(std::vector<int>(1, 0));
    Report();
    OK(d.launch("intended_race", 1, 64, 0, most.at, 0));
    EXPECT(most.host()[0] == 63);
    Report r;
    EXPECT(r.says("race in a block") && r.says("\"intended\":\"\""));
    OK(d.launch("intended_race", 1, 64, 0, most.at, 1));
    most.host();
    r = Report();
    EXPECT(!r.says("\"intended\":\"\""));
}

TEST(lens_finds_reads_of_what_was_never_written)
{
    expect_found("shared memory never written", "reads_shared", 2, 64);
    Device d;
    Array<float> x(64), out(64);
    Report();
    OK(d.launch("reads_device", 1, 64, 0, out.at, x.at));
    out.host();
    Report r;
    EXPECT(r.says("device memory never written") && r.number("times") == 64);
    // A copy of what was not written is not written either; half of the bytes are filled now.
    Array<float> copied(64);
    Array<float> fresh(64);
    OK(cuMemsetD8(fresh.at, 0, 128));
    OK(cuMemcpyDtoD(copied.at, fresh.at, 256));
    OK(d.launch("reads_device", 1, 64, 0, out.at, copied.at));
    out.host();
    r = Report();
    EXPECT(r.says("device memory never written") && r.number("times") == 32);
    OK(cuMemsetD8(copied.at, 0, 256));
    OK(d.launch("reads_device", 1, 64, 0, out.at, copied.at));
    out.host();
    EXPECT(Report().clean());
}

TEST(lens_counts_sectors)
{
    for (int stride : {1, 2, 8, 16}) {
        Device d;
        Array<float> x(std::vector<float>(32 * 16, 1)), out(32);
        Report();
        OK(d.launch("strided", 1, 32, 0, out.at, x.at, stride));
        out.host();
        const Report r;
        const double sectors = stride < 8 ? 4 * stride : 32;
        EXPECT(r.number("requests", "device") == 2 && r.number("least", "device") == 8);
        EXPECT(r.number("took", "device") == sectors + 4);
        EXPECT(r.number("read_sectors") == sectors && r.number("written_sectors") == 4);
        EXPECT(stride == 1 || r.says("{\"line\":\"planted.cu:"));
    }
}

TEST(lens_counts_bank_conflicts)
{
    for (int width : {32, 33}) {
        Device d;
        Array<float> out(32);
        Report();
        OK(d.launch("column", 1, 32, 32 * 33 * 4, out.at, width));
        out.host();
        const Report r;
        EXPECT(r.number("requests", "shared") == width + 1 && r.number("least", "shared") == width + 1);
        EXPECT(r.number("took", "shared") == width + (width == 32 ? 32 : 1));
    }
}

TEST(lens_takes_vectors_whole)
{
    Device d;
    Array<float> x(std::vector<float>(128, 1)), out(128);
    Report();
    OK(d.launch("vectors", 1, 32, 0, out.at, x.at));
    out.host();
    const Report r;
    for (const char *part : {"device", "shared"}) {
        const double each = part[0] == 'd' ? 16 : 4; // sectors, turns
        EXPECT(r.number("requests", part) == 2);
        EXPECT(r.number("took", part) == 2 * each && r.number("least", part) == 2 * each);
    }
}

TEST(lens_counts_lanes)
{
    Device d;
    Array<float> out(std::vector<float>(1024, 1));
    double requests[2], share[2];
    for (int mended : {0, 1}) {
        Report();
        OK(d.launch("divergent", 1, 32, 0, out.at, mended));
        out.host();
        const Report r;
        requests[mended] = r.number("lanes", "device") / r.number("requests", "device");
        share[mended] = r.number("run_lanes") / r.number("runs") / 32;
    }
    EXPECT(requests[0] < 3 && requests[1] == 32);
    EXPECT(share[0] < 0.8 && share[1] > 0.99);

    Array<float> x(std::vector<float>(288, 1));
    Report();
    OK(d.launch("meets_again", 1, 32, 0, out.at, x.at, 5));
    out.host();
    const Report r;
    EXPECT(r.number("requests", "device") == 5 * 4 + 1); // three rounds and what is behind them five times, the result
}

TEST(lens_counts_arithmetic)
{
    Device d;
    Array<double> out(64);
    Report();
    OK(d.launch("arithmetic", 2, 32, 0, out.at, 0.5));
    out.host();
    const Report r;
    EXPECT(r.number("exponentials32") == 64 && r.number("exponentials64") == 128);
    EXPECT(r.number("flops64") == 64 * 3 && r.number("threads") == 64 && r.number("blocks") == 2);
}
