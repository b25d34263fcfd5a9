import Foundation
import Testing

@testable import BelfryAPI
@testable import BelfryConsole

@Suite("CON-1, CON-2: the design system and what pages weigh")
struct DesignTests {
    /// Text on what it stands on: 4.5 to 1 (WCAG 2.2, 1.4.3).
    private static let texts: [(ink: String, on: [String])] = [
        ("ink", ["paper", "surface", "raised", "sunken", "accent-wash", "good-wash", "warning-wash", "bad-wash"]),
        ("ink-soft", ["paper", "surface", "raised", "sunken"]),
        ("accent", ["paper", "surface", "raised", "sunken"]),
        ("accent-strong", ["paper", "surface", "raised", "accent-wash"]),
        ("on-accent", ["accent", "accent-strong"]), ("good", ["surface", "good-wash"]),
        ("busy", ["surface", "busy-wash"]), ("warning", ["surface", "warning-wash"]),
        ("bad", ["surface", "sunken", "bad-wash"]),
    ]
    /// The borders of fields, what has the focus, and what a chart is drawn with: 3 to 1 (1.4.11).
    private static let parts: [(ink: String, on: [String])] = [
        ("line-strong", ["surface", "paper", "raised"]), ("accent", ["surface", "paper"]), ("bad", ["surface"]),
        ("warning", ["sunken"]),
    ]

    @Test("CON-2: every text stands out from its ground at 4.5 to 1 in both schemes, and parts at 3 to 1")
    func contrast() throws {
        let colors = try DesignColors(css: Self.css)
        for (pairs, least) in [(Self.texts, 4.5), (Self.parts, 3.0)] {
            for (ink, grounds) in pairs {
                for ground in grounds {
                    for scheme in DesignColors.Scheme.allCases {
                        let contrast = try colors.contrast(of: ink, on: ground, scheme)
                        #expect(contrast >= least, "\(ink) on \(ground), \(scheme): \(contrast)")
                    }
                }
            }
        }
    }

    @Test("CON-2: the contrast of known colours is what WCAG says")
    func formula() throws {
        let colors = try DesignColors(
            css: """
                --black: light-dark(oklch(0 0 0), oklch(1 0 0));
                --white: light-dark(oklch(1 0 0), oklch(0 0 0));
                --red: light-dark(oklch(0.62796 0.25768 29.234), oklch(0.62796 0.25768 29.234));
                """
        )
        let black = try colors.contrast(of: "black", on: "white", .light)
        let red = try colors.contrast(of: "red", on: "white", .light)
        #expect(abs(black - 21) < 0.05)
        // #ff0000 on white has 3.998.
        #expect(abs(red - 3.998) < 0.05)
    }

    @Test("CON-2: motion ends for whoever wants less of it, focus is drawn, and both schemes are there")
    func motion() {
        #expect(Self.css.contains("@media (prefers-reduced-motion: reduce)"))
        #expect(Self.css.contains(":focus-visible { outline: 2px solid"))
        #expect(Self.css.contains("color-scheme: light dark"))
        #expect(!Self.css.contains("@import") && !Self.css.contains("url("))
    }

    @Test("CON-1: all scripts together are at most 20 KB compressed, and each is reached from the one that pages name")
    func scripts() throws {
        let scripts = AssetSources.all.filter { $0.key.hasSuffix(".js") }
        let sizes = try scripts.mapValues { try #require(Deflation.gzip($0)).count }
        #expect(sizes.values.reduce(0, +) <= 20_480, "\(sizes)")
        var reached: Set<String> = [], waiting = ["console.js"]
        while let name = waiting.popLast() {
            guard reached.insert(name).inserted else { continue }
            let text = String(decoding: try #require(scripts[name], "\(name) is not there"), as: UTF8.self)
            waiting += text.components(separatedBy: "\"./").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        }
        #expect(reached == Set(scripts.keys))
        for (name, bytes) in scripts {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("eval(") && !text.contains("document.write") && !text.contains("://"), "\(name)")
            let marks = text.components(separatedBy: "innerHTML").count - 1
            #expect(marks == (name == "parts.js" ? 1 : 0), "\(name): only one place makes markup")
        }
    }

    @Test("CON-1: a page is at most 60 KB compressed, with its style sheet and its scripts")
    func pages() async throws {
        let files = try AssetSources.all.values.reduce(0) { $0 + (try #require(Deflation.gzip($1))).count }
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let base = "/console/apps/shop"
            let pages = [
                base, "\(base)/campaigns", "\(base)/campaigns/\(id)", "\(base)/campaigns/\(id)/people",
                "\(base)/campaigns/new", "\(base)/calendar", "\(base)/calendar?view=month", "\(base)/search?q=sale",
                "/console/design", "/console/account",
            ]
            for page in pages {
                let answer = try await marketer.get(page)
                #expect(answer.status == .ok, "\(page)")
                let size = try #require(Deflation.gzip(Array(answer.text.utf8))).count
                #expect(size + files <= 61_440, "\(page): \(size) of its own, \(files) of files")
            }
        }
    }

    private static var css: String { String(decoding: AssetSources.all["console.css"] ?? [], as: UTF8.self) }
}

/// The colours of the style sheet as numbers.
private struct DesignColors {
    enum Scheme: Int, CaseIterable {
        case light
        case dark
    }

    /// By name: linear red, green and blue of each scheme.
    private var colors: [String: [[Double]]] = [:]

    init(css: String) throws {
        for line in css.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("--"), let colon = line.firstIndex(of: ":"), line.contains("light-dark(oklch(") else {
                continue
            }
            let values = line.components(separatedBy: "oklch(").dropFirst().map { part in
                part.prefix { $0 != ")" }.split(separator: " ").compactMap { Double($0) }
            }
            try #require(values.count == 2 && values.allSatisfy { $0.count == 3 }, "\(line)")
            colors[String(line[..<colon].dropFirst(2))] = values.map(Self.linear)
        }
    }

    /// WCAG 2.2, "contrast ratio".
    func contrast(of ink: String, on ground: String, _ scheme: Scheme) throws -> Double {
        let (first, second) = (try luminance(ink, scheme), try luminance(ground, scheme))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private func luminance(_ name: String, _ scheme: Scheme) throws -> Double {
        let color = try #require(colors[name], "\(name) is no colour")[scheme.rawValue]
        return 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]
    }

    /// OKLCH as linear sRGB (CSS Color 4 §20.3), cut to what screens show.
    private static func linear(_ color: [Double]) -> [Double] {
        let hue = color[2] * .pi / 180
        let (a, b) = (color[1] * cos(hue), color[1] * sin(hue))
        let cubes = [
            color[0] + 0.3963377774 * a + 0.2158037573 * b, color[0] - 0.1055613458 * a - 0.0638541728 * b,
            color[0] - 0.0894841775 * a - 1.2914855480 * b,
        ].map { $0 * $0 * $0 }
        let (l, m, s) = (cubes[0], cubes[1], cubes[2])
        return [
            4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
        ].map { min(max($0, 0), 1) }
    }
}
