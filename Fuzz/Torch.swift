/// Reads any bytes as a file of PyTorch's legacy format, or the part after its fixed head, or one
/// pickle, as the first byte selects.
///
/// Must hold: the result is an error with an offset within the bytes, or tensors whose values fill
/// their shape, are finite, and are no more than fit into the bytes for each name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    switch kind % 3 {
    case 0: read(Array(bytes.dropFirst()))
    case 1: read(head + bytes.dropFirst())
    default:
        let body = Array(bytes.dropFirst())
        var reader = PickleReader(ByteCursor(body))
        do throws(TorchFileError) {
            while reader.input.left > 0 {
                let before = reader.input.offset
                _ = try reader.pickle()
                precondition(reader.input.offset > before)
            }
        } catch { precondition((0...body.count).contains(error.offset)) }
    }
    return 0
}

/// Magic number, version, and system.
private let head: [UInt8] =
    [0x80, 2, 0x8A, 10, 0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19, 0x2E]
    + [0x80, 2, 0x4D, 0xE9, 0x03, 0x2E] + [0x80, 2, 0x7D, 0x58, 13, 0, 0, 0]
    + Array("little_endian".utf8) + [0x88, 0x73, 0x2E]

private func read(_ bytes: [UInt8]) {
    do throws(TorchFileError) {
        let file = try TorchFile(bytes)
        for (name, tensor) in file.tensors {
            precondition(name.utf8.count <= PickleReader.textLimit)
            precondition(
                tensor.values.count == tensor.shape.reduce(1, *)
                    && 4 * tensor.values.count <= bytes.count
                    && tensor.values.allSatisfy(\.isFinite))
        }
        do throws(PresentationNetworkError) { _ = try PresentationNetwork(file) } catch {
            precondition(error.description.utf8.allSatisfy { (32..<127).contains($0) || $0 > 127 })
        }
    } catch { precondition((0...bytes.count).contains(error.offset)) }
}
