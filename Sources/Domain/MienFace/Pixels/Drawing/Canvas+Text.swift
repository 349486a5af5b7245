extension Canvas {
    /// A character's cell in pixels at scale 1: 5 × 8 plus an empty column and row.
    public static let cellWidth = 6, cellHeight = 9

    /// Returns the size of `text` in pixels, without the space after its last column and row.
    public static func size(of text: String, scale: Int = 1) -> (width: Int, height: Int) {
        (max(0, text.count * cellWidth - 1) * scale, (cellHeight - 1) * scale)
    }

    /// Draws one line of text with its top-left corner in column `x`, row `y`.
    ///
    /// Supports ASCII and `° ± × −`; other characters appear as a box. Each dot of a character is
    /// `scale` pixels wide, at least 1. With a `background` color, fills a rectangle behind the
    /// text, one dot larger on each side.
    public mutating func text(
        _ text: String, x: Int, y: Int, _ color: RGBColor, scale: Int = 1,
        background: RGBColor? = nil, backgroundOpacity: Double = 1
    ) {
        precondition(scale >= 1, "scale must be at least 1")
        if let background {
            let size = Self.size(of: text, scale: scale)
            let box = Rectangle(
                x: Double(x - scale), y: Double(y - scale), width: Double(size.width + 2 * scale),
                height: Double(size.height + 2 * scale))
            filledRectangle(box, background, opacity: backgroundOpacity)
        }
        for (i, character) in text.enumerated() {
            for (column, dots) in BitmapFont.columns(of: character).enumerated() {
                for row in 0..<8 where dots >> row & 1 == 1 {
                    square(
                        x + (i * Self.cellWidth + column) * scale, y + row * scale, scale, color)
                }
            }
        }
    }

    private mutating func square(_ x: Int, _ y: Int, _ side: Int, _ color: RGBColor) {
        for dy in 0..<side { for dx in 0..<side { blend(x + dx, y + dy, color, opacity: 1) } }
    }
}
