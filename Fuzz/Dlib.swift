/// Reads any bytes as values of a dlib archive, one kind after another, as the first bytes select.
///
/// Must hold: the result is an error with an offset within the bytes, or values that take no more
/// memory than the bytes. The reader never moves backward.
func fuzzDlib(_ bytes: [UInt8]) {
    let kinds = bytes.prefix(8), body = Array(bytes.dropFirst(8))
    for repeated in [kinds, kinds.prefix(1)] {
        var archive = DlibArchive(body)
        do throws(DlibArchiveError) {
            for turn in 0..<64 where !repeated.isEmpty {
                let before = archive.offset
                try read(
                    repeated[repeated.startIndex + turn % repeated.count], &archive, body.count)
                precondition(archive.offset > before && archive.offset <= body.count)
            }
            try archive.finish()
        } catch {
            precondition(
                (0...body.count).contains(error.offset), "the error is outside the archive")
        }
    }
}

private func read(_ kind: UInt8, _ archive: inout DlibArchive, _ size: Int) throws(DlibArchiveError)
{
    switch kind % 8 {
    case 0: _ = try archive.integer()
    case 1:
        let count = try archive.count()
        precondition(count >= 0)
    case 2:
        let text = try archive.text()
        precondition(text.utf8.count <= 64)
    case 3: _ = try archive.flag()
    case 4:
        let real = try archive.real()
        precondition(real.isFinite)
    case 5:
        let tensor = try archive.tensor()
        precondition(
            4 * tensor.values.count <= size && tensor.shape.count == 4
                && tensor.values.allSatisfy(\.isFinite))
    case 6:
        let shape = try archive.view()
        precondition(shape.count == 4)
    default:
        let parameters = try archive.convolution(
            DescriptorLayer.Convolution(1, to: 2, window: 3, stride: 1))
        precondition(parameters.filters.count == 18 && parameters.biases.count == 2)
    }
}
