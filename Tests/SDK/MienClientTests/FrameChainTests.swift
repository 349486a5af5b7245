import Crypto
import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

@Suite("The frame chain")
struct FrameChainTests {
    private let nonce = [UInt8](0..<32)

    @Test("links follow the definition on the page about live captures, computed by hand")
    func known() {
        var chain = FrameChain(nonce: nonce)
        let first = chain.append([1, 2, 3], milliseconds: 258),
            second = chain.append([4], milliseconds: 259)
        let h0 = Array(SHA256.hash(data: Array("mien/v1/capture-chain".utf8) + nonce))
        let h1 = Array(
            SHA256.hash(data: h0 + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 1, 2, 3]))
        let h2 = Array(SHA256.hash(data: h1 + [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 3, 4]))
        #expect(first.link == h1 && second.link == h2 && first.number == 1 && second.number == 2)
    }

    @Test("links and bodies are those of docs/live-capture.vectors.json")
    func vectors() throws {
        struct Vectors: Decodable {
            struct Frame: Decodable {
                let number, milliseconds: UInt32
                let picture, link: String
            }
            let nonce, body: String
            let frames: [Frame]
        }
        let file = Repository.root.appending(path: "docs/live-capture.vectors.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        var chain = FrameChain(nonce: try #require(Base64URL.decode(vectors.nonce)))
        let frames = try vectors.frames.map { frame in
            let made = chain.append(
                try #require(Base64URL.decode(frame.picture)), milliseconds: frame.milliseconds)
            #expect(
                made.number == frame.number && made.link == Base64URL.decode(frame.link),
                "frame \(frame.number)")
            return made
        }
        #expect(frames.count >= 4 && FrameBatch.encode(frames) == Base64URL.decode(vectors.body))
    }

    @Test(
        "frames are accepted only in the order in which they were appended: all sequences of four frames"
    )
    func order() {
        var sender = FrameChain(nonce: nonce)
        let frames = (1...3).map { sender.append([UInt8($0)], milliseconds: UInt32(100 * $0)) }
        for story in 0..<81 {
            var receiver = FrameChain(nonce: nonce), due = 0
            for step in [story / 27, story / 9 % 3, story / 3 % 3, story % 3] {
                if step == due {
                    #expect(throws: Never.self) { try receiver.accept(frames[step]) }
                    due += 1
                } else {
                    #expect(throws: FrameChain.Fault.outOfOrder(next: UInt32(due + 1))) {
                        try receiver.accept(frames[step])
                    }
                }
                #expect(receiver.next == UInt32(due + 1))
            }
        }
    }

    @Test(
        "a changed picture, time, link, nonce, or earlier frame is detected as altered")
    func altered() {
        var sender = FrameChain(nonce: nonce)
        let first = sender.append([1, 2, 3], milliseconds: 100),
            second = sender.append([4, 5, 6], milliseconds: 200)
        func changed(
            _ frame: LinkedFrame, picture: [UInt8]? = nil, milliseconds: UInt32? = nil,
            link: [UInt8]? = nil
        ) -> LinkedFrame {
            LinkedFrame(
                number: frame.number, milliseconds: milliseconds ?? frame.milliseconds,
                link: link ?? frame.link, picture: picture ?? frame.picture)
        }
        var links: [LinkedFrame] = []
        for bit in 0..<256 {
            var link = first.link
            link[bit / 8] ^= 1 << (bit % 8)
            links.append(changed(first, link: link))
        }
        for frame in links + [
            changed(first, picture: [1, 2, 2]), changed(first, picture: [1, 2]),
            changed(first, milliseconds: 101), changed(first, link: []),
        ] {
            var receiver = FrameChain(nonce: nonce)
            #expect(throws: FrameChain.Fault.altered) { try receiver.accept(frame) }
        }
        var other = FrameChain(nonce: [9])
        #expect(throws: FrameChain.Fault.altered) { try other.accept(first) }
        var forked = FrameChain(nonce: nonce)
        _ = forked.append([1, 2, 4], milliseconds: 100)
        #expect(throws: FrameChain.Fault.altered) { try forked.accept(second) }
    }

    @Test("a frame must be later than the one before")
    func time() {
        var sender = FrameChain(nonce: nonce), receiver = FrameChain(nonce: nonce)
        for (index, time) in [UInt32(100), 100].enumerated() {
            let frame = sender.append([1], milliseconds: time)
            if index == 0 {
                #expect(throws: Never.self) { try receiver.accept(frame) }
            } else {
                #expect(throws: FrameChain.Fault.notLater) { try receiver.accept(frame) }
            }
        }
    }

    @Test("a batch survives encoding and decoding; truncated or with extra bytes, it is refused")
    func batches() throws {
        var sender = FrameChain(nonce: nonce)
        let frames = (1...3).map {
            sender.append(
                [UInt8](repeating: UInt8($0), count: 5 * $0), milliseconds: UInt32(70_000 * $0))
        }
        let bytes = FrameBatch.encode(frames)
        #expect(try FrameBatch.decode(bytes) == frames)
        let ends = frames.indices.map {
            frames[...$0].reduce(0) { $0 + FrameBatch.headBytes + $1.picture.count }
        }
        for count in 0..<bytes.count where !ends.contains(count) {
            #expect(throws: FrameBatch.Malformed.self) {
                try FrameBatch.decode(Array(bytes.prefix(count)))
            }
        }
        #expect(throws: FrameBatch.Malformed.self) { try FrameBatch.decode(bytes + [0]) }
        var many = FrameChain(nonce: nonce)
        let most = (0..<17).map { many.append([1], milliseconds: UInt32($0)) }
        #expect(try FrameBatch.decode(FrameBatch.encode(Array(most.prefix(16)))).count == 16)
        #expect(throws: FrameBatch.Malformed.self) {
            try FrameBatch.decode(FrameBatch.encode(most))
        }
        #expect(throws: FrameBatch.Malformed.self) {
            try FrameBatch.decode(
                FrameBatch.encode([
                    LinkedFrame(number: 1, milliseconds: 0, link: frames[0].link, picture: [])
                ]))
        }
        #expect(
            !"\(frames[0])".contains("1, 1") && Mirror(reflecting: frames[0]).children.count == 2)
    }
}
