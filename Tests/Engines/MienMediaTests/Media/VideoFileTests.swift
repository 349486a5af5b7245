import Foundation
import MienFace
import MienMedia
import MienTesting
import Testing

/// Returns the name of the synthetic picture's color at a position, with `(0, 0)` for the top left.
private func color(_ image: RGBImage, _ right: Int, _ down: Int) -> String {
    let pixel = image[image.width * (1 + 2 * right) / 4, image.height * (1 + 2 * down) / 4]
    func level(_ value: UInt8) -> String { value > 180 ? "1" : value < 75 ? "0" : "?" }
    return level(pixel.red) + level(pixel.green) + level(pixel.blue)
}

private func corners(_ image: RGBImage) -> [String] {
    [color(image, 0, 0), color(image, 1, 0), color(image, 0, 1), color(image, 1, 1)]
}

private let red = "100", green = "010", blue = "001", white = "111"

extension VideoStream {
    func all() async throws -> [VideoFrame] { try await reduce(into: []) { $0.append($1) } }
}

extension MediaTests {
    @Suite struct VideoFileTests {
        let scratch = try! ScratchFolder()

        private func movie(
            _ kind: MovieMaker.Kind, _ count: Int = 10, width: Int = 96, height: Int = 64,
            _ change: (inout MovieMaker) -> Void = { _ in }
        )
            throws -> String
        {
            var maker = MovieMaker(kind)
            change(&maker)
            let file = scratch("movie.\(kind.fileExtension)")
            try maker.write(count, width: width, height: height, to: file)
            return file.path
        }

        @Test(arguments: MovieMaker.Kind.allCases.filter(\.isAvailable))
        func `every frame of a video is upright, with its colors and its time`(
            _ kind: MovieMaker.Kind
        ) async throws {
            let video = try await VideoStream.open(.file(try movie(kind, 30)))
            #expect((video.info.width, video.info.height) == (96, 64))
            let frames = try await video.all()
            #expect(frames.map(\.number) == Array(0..<30))
            for (index, frame) in frames.enumerated() {
                #expect((frame.image.width, frame.image.height) == (96, 64))
                // A GIF has a resolution of 1/100 s, an MPEG-TS of 1/90,000 s.
                #expect(abs(frame.time / .milliseconds(1) - Double(40 * index)) < 1.5)
            }
            // The bar has not yet reached the middle of the lower half and has left that of the
            // upper half.
            #expect(corners(frames[18].image) == [red, green, blue, white])
        }

        @Test func `pixels match the source`() async throws {
            let video = try await VideoStream.open(.file(try movie(.mkv, 3)))
            for frame in try await video.all() {
                let filmed = MovieMaker.picture(frame.number, of: 3, width: 96, height: 64)
                #expect(frame.image.largestDifference(from: filmed).map { $0 <= 6 } == true)
            }
        }

        @Test(
            arguments: [
                (0, false, [red, green, blue, white], 96),
                (90, false, [blue, red, white, green], 64),
                (180, false, [white, blue, green, red], 96),
                (270, false, [green, white, red, blue], 64),
                (0, true, [green, red, white, blue], 96),
                (90, true, [white, green, blue, red], 64),
                (180, true, [blue, white, red, green], 96),
                (270, true, [red, blue, green, white], 64),
            ])
        func `a phone's rotated and mirrored videos are turned upright`(
            degrees: Int, mirrored: Bool, expected: [String], width: Int
        ) async throws {
            let path = try movie(.mp4) {
                $0.displayMatrix = MovieMaker.turned(Double(degrees), mirrored: mirrored)
            }
            let video = try await VideoStream.open(.file(path))
            #expect(video.info.width == width && video.info.quarterTurns == degrees / 90)
            let first = try #require(try await video.all().last)
            #expect(first.image.width == width && corners(first.image) == expected)
        }

        @Test func `a rotation is written as phones write it`() {
            // A phone held upright has a sideways sensor, so the video is rotated clockwise for
            // display.
            #expect(MovieMaker.turned(90) == [0, 65_536, 0, -65_536, 0, 0, 0, 0, 1 << 30])
        }

        @Test func `non-square pixels are made square`() async throws {
            let path = try movie(.mkv, 2, width: 96, height: 64) {
                $0.pixelAspect = .init(num: 1, den: 2)
            }
            let video = try await VideoStream.open(.file(path))
            let frame = try #require(try await video.all().first)
            #expect((frame.image.width, frame.image.height) == (48, 64))
            #expect((video.info.width, video.info.height) == (48, 64))
        }

        @Test func `large frames are scaled down on request, and small ones are never enlarged`()
            async throws
        {
            let path = try movie(.mkv, 2, width: 200, height: 100)
            let small = try await VideoStream.open(
                .file(path), options: VideoOptions(longestSide: 50))
            #expect((small.info.width, small.info.height) == (50, 25))
            let frame = try #require(try await small.all().last)
            #expect((frame.image.width, frame.image.height) == (50, 25))
            #expect(color(frame.image, 0, 0) == red && color(frame.image, 1, 0) == green)
            let same = try await VideoStream.open(
                .file(path), options: VideoOptions(longestSide: 1000))
            #expect(same.info.width == 200)
        }

        @Test func `the info before the first frame is right`() async throws {
            let info = try await VideoStream.open(.file(try movie(.mp4, 50))).info
            #expect(
                info.duration == .seconds(2) && info.framesPerSecond == 25 && info.codec == "mpeg4")
        }

        // MARK: Refusals

        private func refusal(_ path: String, _ limits: VideoLimits = .standard) async throws
            -> MediaError?
        {
            do {
                for try await _ in try await VideoStream.open(
                    .file(path), options: VideoOptions(limits: limits))
                {}
                return nil
            } catch let error as MediaError {
                #expect(error.reason.hasPrefix(path + ": "), "the error must name the file")
                return error
            }
        }

        @Test func `missing and special files have their own errors`() async throws {
            #expect(try await refusal(scratch("none.mp4").path)?.code == .fileNotFound)
            #expect(try await refusal(scratch.url.path)?.code == .fileIsDirectory)
            let pipe = scratch("pipe").path
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(try await refusal(pipe)?.code == .fileNotRegular)
            #expect(try await refusal("/dev/null")?.code == .fileNotRegular)
            #expect(try await refusal(try scratch.write([], to: "empty.mp4").path)?.code == .empty)
        }

        @Test(.enabled(if: geteuid() != 0, "root may read everything"))
        func `an unreadable file is reported as not allowed`() async throws {
            let path = try scratch.write([1], to: "locked").path
            chmod(path, 0)
            #expect(try await refusal(path)?.code == .fileNotAllowed)
        }

        @Test func `other files are reported as not video`() async throws {
            #expect(
                try await refusal(
                    try scratch.write("hello, this is text\n".utf8, to: "text.mp4").path)?.code
                    == .notVideo)
            #expect(
                try await refusal(
                    try scratch.write([UInt8](repeating: 0, count: 100_000), to: "zeros.mp4").path)?
                    .code == .notVideo)
            let silence = scratch("silence.mkv")
            try MovieMaker.writeSilence(to: silence)
            #expect(try await refusal(silence.path)?.code == .noVideoStream)
        }

        @Test func `lists and scripts that name other files or servers are not followed`()
            async throws
        {
            let movie = URL(filePath: try movie(.mp4)).lastPathComponent
            let lists = [
                "list.m3u8":
                    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(movie)\n#EXT-X-ENDLIST\n",
                "list.ffconcat": "ffconcat version 1.0\nfile \(movie)\n",
                "list.sdp":
                    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
            ]
            for (name, text) in lists {
                #expect(
                    try await refusal(try scratch.write(text.utf8, to: name).path)?.code
                        == .notVideo, "\(name)")
            }
            #expect(try await refusal("http://127.0.0.1:9/movie.mp4")?.code == .fileNotFound)
            #expect(try await refusal("concat:\(movie)|\(movie)")?.code == .fileNotFound)
        }

        @Test func `limits hold and are stated`() async throws {
            let path = try movie(.mp4, 50)
            let bytes = try Data(contentsOf: URL(filePath: path)).count
            #expect(
                try await refusal(
                    path, VideoLimits(maxBytes: bytes, maxPixels: 96 * 64, maxDuration: .seconds(2))
                ) == nil)
            #expect(
                try await refusal(path, VideoLimits(maxBytes: bytes - 1))?.code == .tooManyBytes)
            #expect(
                try await refusal(path, VideoLimits(maxPixels: 96 * 64 - 1))?.code == .tooManyPixels
            )
            let long = try #require(
                try await refusal(path, VideoLimits(maxDuration: .milliseconds(1999))))
            #expect(long.code == .tooLong)
            // A GIF does not state its duration; its frames' times do.
            let gif = try movie(.gif, 50)
            #expect(try await refusal(gif, VideoLimits(maxDuration: .seconds(1)))?.code == .tooLong)
        }

        @Test(arguments: MovieMaker.Kind.allCases.filter(\.isAvailable))
        func
            `a video that was cut off ends early or is refused, and a damaged one brings nothing down`(
                _ kind: MovieMaker.Kind
            ) async throws
        {
            let whole = [UInt8](try Data(contentsOf: URL(filePath: try movie(kind, 12))))
            let refusals: Set<MediaError.Code> = [
                .notVideo, .corrupt, .noVideoStream, .unsupportedCodec, .sides, .tooManyPixels,
                .tooLong, .tooMuchMemory,
            ]
            func read(_ bytes: [UInt8]) throws -> Int {
                do throws(MediaError) {
                    let reader = try FrameReader(bytes: bytes)
                    var count = 0
                    while case .frame = try reader.next() { count += 1 }
                    return count
                } catch {
                    #expect(refusals.contains(error.code), "\(error)")
                    return 0
                }
            }
            #expect(try read(whole) == 12)
            for part in 1..<8 { #expect(try read(Array(whole[..<(whole.count * part / 8)])) < 12) }
            var random = SystemRandomNumberGenerator()
            for _ in 0..<100 {
                var damaged = whole
                for _ in 0..<8 {
                    damaged[Int.random(in: damaged.indices, using: &random)] ^= UInt8.random(
                        in: 1...255, using: &random)
                }
                _ = try read(damaged)
            }
        }
    }
}
