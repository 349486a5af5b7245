import MienFace
import Testing

@Suite("Input geometry")
struct InputGeometryTests {
    /// Two columns, one row.
    private let image = RGBImage.pair(RGBColor(10, 20, 30), RGBColor(40, 50, 60))

    private func written(
        _ layout: InputGeometry.Layout, _ color: InputGeometry.Color, mean: [Float] = [0, 0, 0],
        scale: Float = 1
    ) -> [Float] {
        let geometry = InputGeometry(
            width: 2, height: 1, layout: layout, color: color, mean: mean, scale: scale)
        var values = [Float](repeating: .nan, count: geometry.count)
        var span = values.mutableSpan
        geometry.write(image, into: &span)
        return values
    }

    @Test("interleaved, red first")
    func nhwcRGB() { #expect(written(.nhwc, .rgb) == [10, 20, 30, 40, 50, 60]) }

    @Test("interleaved, blue first")
    func nhwcBGR() { #expect(written(.nhwc, .bgr) == [30, 20, 10, 60, 50, 40]) }

    @Test("in planes, red first")
    func nchwRGB() { #expect(written(.nchw, .rgb) == [10, 40, 20, 50, 30, 60]) }

    @Test("in planes, blue first")
    func nchwBGR() { #expect(written(.nchw, .bgr) == [30, 60, 20, 50, 10, 40]) }

    @Test(
        "the mean of each color is subtracted before scaling and stays with its color in any order"
    )
    func meanAndScale() {
        let mean: [Float] = [2, 4, 10], scale: Float = 0.5
        #expect(written(.nhwc, .rgb, mean: mean, scale: scale) == [4, 8, 10, 19, 23, 25])
        #expect(written(.nhwc, .bgr, mean: mean, scale: scale) == [10, 8, 4, 25, 23, 19])
        #expect(written(.nchw, .rgb, mean: mean, scale: scale) == [4, 19, 8, 23, 10, 25])
        #expect(written(.nchw, .bgr, mean: mean, scale: scale) == [10, 25, 8, 23, 4, 19])
    }

    @Test("a scale of 1/127.5 around 127.5 spans −1…1")
    func span() {
        let geometry = InputGeometry(
            width: 2, height: 1, mean: [127.5, 127.5, 127.5], scale: 1 / 127.5)
        var values = [Float](repeating: .nan, count: 6)
        var span = values.mutableSpan
        geometry.write(.pair(.black, .white), into: &span)
        #expect(zip(values, [-1, -1, -1, 1, 1, 1]).allSatisfy { abs($0 - $1) < 1e-6 })
    }

    @Test("the shape has a batch of one and follows the layout")
    func shape() {
        #expect(InputGeometry(width: 20, height: 10, layout: .nhwc).shape == [1, 10, 20, 3])
        #expect(InputGeometry(width: 20, height: 10, layout: .nchw).shape == [1, 3, 10, 20])
        #expect(InputGeometry(width: 20, height: 10).count == 600)
    }

    @Test("a picture of another size traps")
    func wrongSize() async {
        await #expect(processExitsWith: .failure) {
            var values = [Float](repeating: 0, count: 12)
            var span = values.mutableSpan
            InputGeometry(width: 2, height: 2).write(
                RGBImage(width: 2, height: 1, filledWith: .black), into: &span)
        }
    }
}

extension RGBImage {
    fileprivate static func pair(_ left: RGBColor, _ right: RGBColor) -> RGBImage {
        var image = RGBImage(width: 2, height: 1, filledWith: left)
        image[1, 0] = right
        return image
    }
}
