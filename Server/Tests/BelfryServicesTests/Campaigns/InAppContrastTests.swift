import BelfryModel
import BelfryServices
import Testing

struct InAppContrastTests {
    @Test("IAM-14: the contrast of two colours is that of the guidelines, in either order")
    func ratios() throws {
        let known: [(String, String, Double)] = [
            ("#000000", "#FFFFFF", 21), ("#FFFFFF", "#ffffff", 1), ("#777777", "#FFFFFF", 4.478),
            ("#767676", "#FFFFFF", 4.542), ("#FF0000", "#FFFFFF", 3.998), ("#0000FF", "#FFFFFF", 8.592),
        ]
        for (text, ground, expected) in known {
            let ratio = try #require(InAppContrast.ratio(text, ground))
            #expect(abs(ratio - expected) < 0.001, "\(text) on \(ground): \(ratio)")
            #expect(InAppContrast.ratio(ground, text) == ratio)
        }
    }

    @Test("IAM-14: a colour is only #RRGGBB")
    func colors() {
        for text in ["", "#", "#fff", "ffffff", "#ffffff0", "#ggffff", "red", "#12345é", "rgb(0,0,0)", " #ffffff"] {
            #expect(InAppColor(text) == nil, "\(text)")
            #expect(InAppContrast.ratio(text, "#000000") == nil)
        }
        let color = InAppColor("#0a5BfF")
        #expect(color?.red == 0x0A && color?.green == 0x5B && color?.blue == 0xFF)
    }

    @Test("IAM-14: a message without its own colours is readable, light and dark")
    func palettes() throws {
        for palette in [InAppPalette.light, .dark] {
            let text = try #require(InAppContrast.ratio(palette.text, palette.background))
            let button = try #require(InAppContrast.ratio(palette.buttonText, palette.button))
            #expect(text >= InAppContrast.minimum && button >= InAppContrast.minimum)
        }
    }
}
