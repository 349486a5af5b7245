// Times dlib's face pipeline on one thread.
//
//     dlib-peer MODELS_DIR [--repeat N] photo.ppm ...
//
// For each photo: the HOG frontal face detector at the photo's own size (no upsampling), then for every face found five
// landmarks, a 150x150 chip (padding 0.25), and a descriptor. Each photo runs once unmeasured, then N times (default 10).
// Prints one JSON line per photo, with milliseconds of wall-clock time and of processor time, which a busy machine distorts
// less. The last line has the time to load the models.
//
// Photos are PPM (P6, 8 bit), so that neither side of the comparison decodes.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <time.h>

#include <dlib/image_processing.h>
#include <dlib/image_processing/frontal_face_detector.h>
#include <dlib/revision.h>

#include "descriptor_network.h"

extern "C" {
// OpenBLAS's own functions, so that linking fails with any other BLAS.
void openblas_set_num_threads(int);
int openblas_get_num_threads(void);
char *openblas_get_config(void);
char *openblas_get_corename(void);
}

namespace {

using photo = dlib::array2d<dlib::rgb_pixel>;
using chip = dlib::matrix<dlib::rgb_pixel>;
using milliseconds = std::chrono::duration<double, std::milli>;
using clock_type = std::chrono::steady_clock;

struct models {
    dlib::frontal_face_detector detector = dlib::get_frontal_face_detector();
    dlib::shape_predictor landmarks;
    peer::descriptor_network network;

    explicit models(const std::string &directory) {
        dlib::deserialize(directory + "/shape_predictor_5_face_landmarks.dat") >> landmarks;
        dlib::deserialize(directory + "/dlib_face_recognition_resnet_model_v1.dat") >> network;
    }
};

struct run {
    double detect = 0, landmarks = 0, descriptor = 0, total = 0, cpu = 0;
    size_t faces = 0;
};

struct lap {
    clock_type::time_point start = clock_type::now();

    double operator()() {
        const auto now = clock_type::now();
        const double passed = milliseconds(now - start).count();
        start = now;
        return passed;
    }
};

double cpu_milliseconds() {
    timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) throw std::runtime_error("no processor clock");
    return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}

// The time of landmarks includes extracting the chip. Descriptors of several faces are computed one by one.
run measure(models &models, const photo &photo) {
    run run;
    const double cpu = cpu_milliseconds();
    lap total, lap;
    const auto faces = models.detector(photo);
    run.detect = lap();
    run.faces = faces.size();
    for (const auto &face : faces) {
        chip chip;
        dlib::extract_image_chip(photo, dlib::get_face_chip_details(models.landmarks(photo, face), 150, 0.25), chip);
        run.landmarks += lap();
        const dlib::matrix<float, 0, 1> descriptor = models.network(chip);
        run.descriptor += lap();
        if (descriptor.size() != 128) throw std::runtime_error("the descriptor does not have 128 numbers");
    }
    run.total = total();
    run.cpu = cpu_milliseconds() - cpu;
    return run;
}

// One number of a PPM header: white space and comments, then digits.
long header_number(std::istream &in) {
    while (in >> std::ws && in.peek() == '#') in.ignore(1 << 16, '\n');
    long number = 0;
    if (!(in >> number) || number < 1 || number > 32768) throw std::runtime_error("invalid PPM header");
    return number;
}

photo read_ppm(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    char magic[2] = {};
    if (!in.read(magic, 2) || std::memcmp(magic, "P6", 2) != 0) throw std::runtime_error(path + ": not a P6 file");
    const long width = header_number(in), height = header_number(in);
    if (header_number(in) != 255) throw std::runtime_error(path + ": not 8 bit");
    in.get();
    photo photo(height, width);
    std::vector<char> row(3 * width);
    for (long y = 0; y < height; y++) {
        if (!in.read(row.data(), row.size())) throw std::runtime_error(path + ": truncated");
        for (long x = 0; x < width; x++) photo[y][x] = dlib::rgb_pixel(row[3 * x], row[3 * x + 1], row[3 * x + 2]);
    }
    return photo;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

void report(const std::string &path, const photo &photo, const std::vector<run> &runs) {
    const auto all = [&](double run::*stage) {
        std::vector<double> values;
        for (const auto &run : runs) values.push_back(run.*stage);
        return values;
    };
    const auto middle = [&](double run::*stage) { return median(all(stage)); };
    const auto least = [&](double run::*stage) {
        const auto values = all(stage);
        return *std::min_element(values.begin(), values.end());
    };
    std::printf(
        "{\"file\": %s, \"width\": %ld, \"height\": %ld, \"milliseconds_median\": %.3f, \"milliseconds_min\": %.3f, "
        "\"cpu_milliseconds_median\": %.3f, \"cpu_milliseconds_min\": %.3f, \"faces\": %zu, ",
        quoted(path).c_str(), photo.nc(), photo.nr(), middle(&run::total), least(&run::total), middle(&run::cpu), least(&run::cpu),
        runs[0].faces);
    std::printf(
        "\"stages\": {\"detect\": %.3f, \"landmarks\": %.3f, \"descriptor\": %.3f}, "
        "\"stages_min\": {\"detect\": %.3f, \"landmarks\": %.3f, \"descriptor\": %.3f}}\n",
        middle(&run::detect), middle(&run::landmarks), middle(&run::descriptor), least(&run::detect), least(&run::landmarks),
        least(&run::descriptor));
    std::fflush(stdout);
}

struct arguments {
    std::string models;
    int repeat = 10;
    std::vector<std::string> photos;

    arguments(int argc, char **argv) {
        for (int i = 1; i < argc; i++) {
            const std::string argument = argv[i];
            if (argument == "--repeat" && i + 1 < argc) repeat = std::atoi(argv[++i]);
            else if (models.empty()) models = argument;
            else photos.push_back(argument);
        }
        if (photos.empty() || repeat < 1) throw std::invalid_argument("usage: dlib-peer MODELS_DIR [--repeat N] photo.ppm ...");
    }
};

}  // namespace

int main(int argc, char **argv) try {
    const arguments arguments(argc, argv);
    openblas_set_num_threads(1);
    if (openblas_get_num_threads() != 1) throw std::runtime_error("OpenBLAS uses more than one thread");
    lap load;
    models models(arguments.models);
    const double loaded = load();
    for (const auto &path : arguments.photos) {
        const photo photo = read_ppm(path);
        measure(models, photo);
        std::vector<run> runs;
        for (int i = 0; i < arguments.repeat; i++) runs.push_back(measure(models, photo));
        report(path, photo, runs);
    }
    std::printf(
        "{\"model_load_milliseconds\": %.1f, \"dlib\": \"%d.%d.%d\", \"blas\": %s, \"core\": %s, \"threads\": %d}\n", loaded,
        DLIB_MAJOR_VERSION, DLIB_MINOR_VERSION, DLIB_PATCH_VERSION, quoted(openblas_get_config()).c_str(),
        quoted(openblas_get_corename()).c_str(), openblas_get_num_threads());
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "dlib-peer: %s\n", error.what());
    return 1;
}
