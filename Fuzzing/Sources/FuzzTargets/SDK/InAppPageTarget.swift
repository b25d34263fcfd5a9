import BelfryInAppRenderer
import BelfryModel
import Foundation

/// The page of an in-app message: no text of a message can end the element that contains it (SEC-7).
enum InAppPageTarget {
    private static let marks = [
        "<script", "</script", "<style", "</style", "<iframe", "</head", "<body", "<meta", "srcdoc=",
    ]
    private static let markBytes = marks.map { Array($0.utf8) }

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let type = InAppType.allCases[input.choice(InAppType.allCases.count)]
        let text = input.text()
        let other = input.text()
        let bridges: [InAppBridge] = [.belfry(nonce: other.isEmpty ? "n" : other), .v3(campaignID: other), .preview]
        for bridge in bridges {
            for allowsScripts in [false, true] {
                let options = InAppPageOptions(bridge: bridge, language: other, allowsScripts: allowsScripts)
                let page = InAppPage.make(content(text, other), type: type, options: options)
                let plain = InAppPage.make(content("x", "x"), type: type, options: options)
                try check(page, plain)
            }
        }
    }

    /// The page has as many elements of each dangerous kind as with a harmless text. A marketer's HTML is escaped in a
    /// frame.
    private static func check(_ page: String, _ plain: String) throws {
        for (mark, (found, usual)) in zip(marks, zip(counts(in: page), counts(in: plain))) {
            try expect(found == usual, "a text brings \(mark) into the page: \(page)")
        }
    }

    private static func content(_ text: String, _ other: String) -> InAppContent {
        let action = InAppAction(type: .openUrl, url: text, name: other, attributes: [text: .string(other)])
        return InAppContent(
            title: text, body: other, imageUrl: text, imageAlt: other,
            buttons: [InAppButton(id: other, text: text, action: action)], action: action, html: text
        )
    }

    /// Counts each mark in a page. It takes one pass, because pages are long and each input makes twelve.
    private static func counts(in page: String) -> [Int] {
        let bytes = Array(page.utf8)
        var counts = [Int](repeating: 0, count: markBytes.count)
        for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "<") || byte == UInt8(ascii: "s") {
            for (index, mark) in markBytes.enumerated() where starts(mark, bytes, place) { counts[index] += 1 }
        }
        return counts
    }

    /// Whether the mark begins at this place. Its letters match in either case, except the first.
    private static func starts(_ mark: [UInt8], _ bytes: [UInt8], _ place: Int) -> Bool {
        bytes[place] == mark[0] && bytes.count - place >= mark.count
            && mark.indices.allSatisfy { bytes[place + $0] == mark[$0] || bytes[place + $0] | 0x20 == mark[$0] }
    }
}
