import Testing

@testable import MienTools

@Suite struct DescriptorParametersTests {
    let archive = SmallNetwork.written.bytes

    private func read(_ bytes: [UInt8]) throws(DlibArchiveError) -> DescriptorParameters {
        try DescriptorParameters(archive: bytes, architecture: SmallNetwork.architecture)
    }

    @Test("written parameters are read back")
    func roundTrip() throws { #expect(try read(archive) == SmallNetwork.parameters) }

    @Test("an archive truncated anywhere is refused, before or at the cut")
    func truncation() {
        for length in archive.indices {
            do throws(DlibArchiveError) {
                _ = try read(Array(archive[..<length]))
                Issue.record("\(length) of \(archive.count) bytes were accepted")
            } catch {
                guard case .truncated(let missing) = error.reason, missing > 0,
                    error.offset <= length
                else {
                    Issue.record("cut at \(length): \(error)")
                    continue
                }
            }
        }
    }

    @Test("a trailing byte is refused")
    func trailing() {
        #expect(throws: DlibArchiveError(.trailing(bytes: 1), at: archive.count)) {
            try read(archive + [0])
        }
    }

    @Test(
        "a flipped bit in any byte is refused or changes a number, unless only training uses that byte"
    )
    func bitFlips() {
        for position in archive.indices where !SmallNetwork.written.training.contains(position) {
            var flipped = archive
            flipped[position] ^= 1 << (position % 8)
            if let parameters = try? read(flipped), parameters == SmallNetwork.parameters {
                Issue.record("bit \(position % 8) of byte \(position) was not detected")
            }
        }
    }

    @Test("another network is refused, and the error has the offset and the reason")
    func otherNetwork() {
        #expect(throws: DlibArchiveError(.version(expected: "layer version 2", found: "1"), at: 35))
        {
            try DescriptorParameters(
                archive: archive,
                architecture: .init(
                    side: 19, stem: .init(3, to: 2, window: 3, stride: 2), groups: [(2, 1, false)],
                    outputs: 4))
        }
        #expect { try convertDescriptor(dat: archive) } throws: {
            ($0 as? DlibArchiveError)?.offset ?? 0 > 0
        }
        #expect(throws: DlibArchiveError(.truncated(bytesMissing: 1), at: 0)) {
            try convertDescriptor(dat: [])
        }
    }

    @Test(
        "a geometry other than the network's is refused",
        arguments: ["con_4", "max_pool_2", "fc_2"])
    func geometry(name: String) throws {
        let position = try #require(archive.firstRange(of: Array(name.utf8))?.upperBound)
        var changed = archive
        let sizes =
            name == "con_4"
            ? try #require(archive[position...].firstRange(of: [1, 2, 1, 3, 1, 3])?.lowerBound)
            : position
        changed[sizes + 1] += 1
        #expect {
            try read(changed)
        } throws: {
            if case .geometry? = ($0 as? DlibArchiveError)?.reason { true } else { false }
        }
    }

    @Test("the published network has 29 convolutions of 5.6 million weights, ending in 128 numbers")
    func standard() {
        let layers = DescriptorArchitecture.standard.layers
        let convolutions = layers.compactMap {
            if case .convolution(let layer) = $0 { layer } else { nil }
        }
        #expect(convolutions.count == 29)
        #expect(convolutions.map(\.filterCount).reduce(0, +) == 5_571_168)
        #expect(layers.last == .matrix(inputs: 256, outputs: 128))
    }
}
