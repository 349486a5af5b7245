import MienAPI
import Testing

@Suite("Page settings")
struct PageSettingsTests {
    @Test(
        "contrast is that of WCAG",
        arguments: [
            ("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48),
            ("#767676", "#ffffff", 4.54),
            ("#0b6b69", "#ffffff", 6.33), ("#ff0000", "#ffffff", 4.0),
        ])
    func contrast(a: String, b: String, expected: Double) throws {
        let one = try #require(PageColor(a)), two = try #require(PageColor(b))
        #expect(abs(one.contrast(with: two) - expected) < 0.01)
        #expect(one.contrast(with: two) == two.contrast(with: one))
        #expect(one.css == a)
    }

    @Test("text on any color is readable")
    func text() {
        for value in stride(from: 0, through: 0xff_ff_ff, by: 4_099) {
            let color = PageColor(
                red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xff), blue: UInt8(value & 0xff))
            #expect(color.contrast(with: color.text) >= 4.5, "\(color.css)")
        }
    }

    @Test(
        "text that is not a color is refused",
        arguments: ["", "#fff", "1f5fbf", "#1f5fbg", "#1f5fbf0", "red", "#1f5fb\u{FF10}"])
    func malformed(text: String) {
        #expect(PageColor(text) == nil)
    }

    @Test("what an app leaves out comes from the server, but colors come together")
    func completed() {
        let server = PageSettings(
            brand: "#0b6b69", brandDark: "#5ec4c0", logo: "data:image/png;base64,AA",
            language: "es", texts: ["en": ["a": "server a", "b": "server b"], "es": ["a": "s"]])
        #expect(PageSettings().completed(by: server) == server)
        #expect(server.completed(by: PageSettings()) == server)
        let app = PageSettings(brand: "#7a1f5f", texts: ["en": ["b": "app b"]])
        let both = app.completed(by: server)
        #expect(both.brand == "#7a1f5f" && both.brandDark == nil)
        #expect(both.logo == server.logo && both.language == "es")
        #expect(both.texts == ["en": ["a": "server a", "b": "app b"], "es": ["a": "s"]])
        let dark = PageSettings(brandDark: "#7fb2ff", language: "ar").completed(by: server)
        #expect(dark.brand == nil && dark.brandDark == "#7fb2ff" && dark.language == "ar")
    }

    @Test("a color that disappears on the page is refused, with its contrast")
    func faults() {
        #expect(PageSettings(brand: "#0b6b69", brandDark: "#5ec4c0").faults.isEmpty)
        #expect(PageSettings(brand: "#808080").faults.isEmpty)
        let pale = PageSettings(brand: "#ffff00").faults
        #expect(pale.map(\.setting) == ["brand"] && pale[0].message.contains("1.07"))
        let dark = PageSettings(brand: "#101040").faults
        #expect(dark.map(\.setting) == ["brand"] && dark[0].message.contains("brand_dark"))
        #expect(PageSettings(brand: "#101040", brandDark: "#8080ff").faults.isEmpty)
        #expect(PageSettings(brand: "teal").faults.map(\.setting) == ["brand"])
    }

    @Test(
        "a logo is a small picture in the page itself",
        arguments: [
            ("data:image/png;base64,iVBORw0KGgo=", true), ("https://evil.example/logo.png", false),
            ("data:text/html;base64,PHNjcmlwdD4=", false),
            ("data:image/png;base64,\"><script>", false),
            ("data:image/svg+xml;base64,PHN2Zz4=", true),
        ])
    func logo(text: String, isValid: Bool) {
        #expect(PageSettings(logo: text).faults.isEmpty == isValid)
    }

    @Test("languages and texts are bounded")
    func texts() {
        #expect(
            PageSettings(language: "en", texts: ["es": ["signin_title": "Hola"]]).faults.isEmpty)
        #expect(!PageSettings(language: "EN_us!").faults.isEmpty)
        #expect(
            !PageSettings(texts: ["en": ["a": String(repeating: "x", count: 2001)]]).faults.isEmpty)
        #expect(!PageSettings(texts: ["<b>": [:]]).faults.isEmpty)
    }
}
