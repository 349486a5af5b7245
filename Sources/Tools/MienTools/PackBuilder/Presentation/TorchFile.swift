package import Foundation
internal import MienModels

/// The tensors in a file of PyTorch's legacy format.
///
/// Such a file is a pickle, a program that may call anything. Python's own reader loads it, lets it
/// have four names, and first compares the file with its published hash (`scripts/read-torch.py`).
package struct TorchFile: Sendable {
    /// A tensor of 32-bit floating-point numbers, the last axis fastest.
    package struct Tensor: Equatable, Sendable {
        package let shape: [Int]
        package let values: [Float]
    }

    /// The tensors by name, without a leading `module.`, which training on several processors adds.
    /// Excludes tensors of integers, which are counters of the training.
    package let tensors: [String: Tensor]

    init(tensors: [String: Tensor]) { self.tensors = tensors }

    /// - Throws: ``PackError`` `.unavailable` if the file has another hash, or Python is missing.
    ///   Python says which.
    package init(_ file: URL, sha256: String) throws {
        let python = Process(), output = Pipe()
        python.executableURL = URL(filePath: "/usr/bin/env")
        // Isolated: no modules of the user, or of the current folder.
        python.arguments = ["python3", "-I", "-c", PackBuilderFiles.torchReader, file.path, sha256]
        python.standardOutput = output
        try python.run()
        let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
        python.waitUntilExit()
        guard python.terminationStatus == 0, let tensors = try Self.tensors(in: bytes) else {
            throw PackError(.unavailable, "python3 cannot read the tensors in \(file.path)")
        }
        self.tensors = tensors
    }

    /// - Returns: `nil` if numbers are missing.
    private static func tensors(in bytes: [UInt8]) throws -> [String: Tensor]? {
        struct Head: Decodable {
            let name: String
            let shape: [Int]
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var tensors: [String: Tensor] = [:], rest = bytes[(end + 1)...]
        for head in try JSONDecoder().decode([Head].self, from: Data(bytes[..<end])) {
            let count = 4 * head.shape.reduce(1, *), part = rest.prefix(count)
            guard part.count == count else { return nil }
            rest = rest[part.endIndex...]
            let values = stride(from: part.startIndex, to: part.endIndex, by: 4).map { index in
                Float(
                    bitPattern: part[index..<index + 4].reversed().reduce(0) {
                        $0 << 8 | UInt32($1)
                    })
            }
            tensors[head.name] = Tensor(shape: head.shape, values: values)
        }
        return rest.isEmpty ? tensors : nil
    }
}
