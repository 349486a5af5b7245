import MienAPI
import MienClient
import Testing

@Suite("Colors of a capture")
struct LightShowTests {
    private func answer(_ colors: [(String, Int)], _ status: CaptureStatus = .open) -> CaptureAnswer
    {
        CaptureAnswer(
            status: .known(status), guidance: [], framesLeft: 9, expiresAt: 0,
            light: CaptureLight(
                isRequired: false, isOmittable: nil,
                colors: colors.map { CaptureColor(hex: $0.0, begin: $0.1) }))
    }

    @Test(
        "each color is shown from its time on, whatever answers repeat it, and the last one stays")
    func times() {
        var show = LightShow()
        #expect(show.color(at: .zero) == nil)
        show.note(answer([("#ff6666", 0), ("#66ff66", 500)]))
        show.note(answer([("#66ff66", 500), ("#6666ff", 1100)]))
        let shown = [0, 400, 499, 500, 1099, 1100, 9000].map {
            show.color(at: .milliseconds($0))?.hex
        }
        #expect(
            shown == ["#ff6666", "#ff6666", "#ff6666", "#66ff66", "#66ff66", "#6666ff", "#6666ff"])
        show.note(answer([], .passed))
        #expect(show.color(at: .seconds(9)) == nil, "the session has ended")
    }

    @Test("a color that comes late does not flash: the next waits a third of a second")
    func late() {
        var show = LightShow()
        show.note(answer([("#ff6666", 0)]))
        #expect(show.color(at: .milliseconds(10))?.hex == "#ff6666")
        show.note(answer([("#66ff66", 400), ("#6666ff", 900)]))
        #expect(show.color(at: .milliseconds(850))?.hex == "#66ff66")
        #expect(show.color(at: .milliseconds(1000))?.hex == "#66ff66")
        #expect(show.color(at: .milliseconds(1184))?.hex == "#6666ff")
    }

    @Test("colors in numbers; another notation has none")
    func numbers() throws {
        let rgb = try #require(CaptureColor(hex: "#ff6600", begin: 0).rgb)
        #expect(rgb.red == 1 && rgb.green == 0.4 && rgb.blue == 0)
        for hex in ["ff6600", "#ff66", "#ff66zz", "", "#+f6600"] {
            #expect(CaptureColor(hex: hex, begin: 0).rgb == nil, "\(hex)")
        }
    }
}
