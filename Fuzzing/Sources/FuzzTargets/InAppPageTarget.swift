import BelfryInAppRenderer
import BelfryModel
import Foundation

/// The page of an in-app message: no text of a message ends the element in which it stands (SEC-7).
enum InAppPageTarget {
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

    /// As many elements of each kind that matters as with a harmless text; marketers' HTML stands escaped in a frame.
    private static func check(_ page: String, _ plain: String) throws {
        for mark in ["<script", "</script", "<style", "</style", "<iframe", "</head", "<body", "<meta", "srcdoc="] {
            try expect(count(mark, page) == count(mark, plain), "a text brings \(mark) into the page: \(page)")
        }
    }

    private static func content(_ text: String, _ other: String) -> InAppContent {
        let action = InAppAction(type: .openUrl, url: text, name: other, attributes: [text: .string(other)])
        return InAppContent(
            title: text, body: other, imageUrl: text, imageAlt: other,
            buttons: [InAppButton(id: other, text: text, action: action)], action: action, html: text
        )
    }

    private static func count(_ mark: String, _ page: String) -> Int {
        let (bytes, mark) = (Array(page.utf8), Array(mark.utf8))
        guard bytes.count >= mark.count else { return 0 }
        return (0...(bytes.count - mark.count)).count { place in
            bytes[place] == mark[0]
                && mark.indices.allSatisfy { bytes[place + $0] == mark[$0] || bytes[place + $0] | 0x20 == mark[$0] }
        }
    }
}
