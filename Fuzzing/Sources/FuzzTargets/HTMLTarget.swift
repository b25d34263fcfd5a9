import BelfryModel
import Foundation

@testable import BelfryCampaigns
@testable import BelfryServerModel

/// HTML that a marketer composes: accepted HTML runs no code, whatever its template renders (SEC-4).
enum HTMLTarget {
    static func run(_ bytes: [UInt8]) throws {
        let source = String(decoding: bytes, as: UTF8.self)
        try richContent(source)
        try inApp(source)
    }

    private static func richContent(_ source: String) throws {
        let content = MessageCenterContent(subject: "s", message: "m", richHtml: source)
        guard let template = try? MessageCenterTemplate(content, schema: Fixtures.schema) else { return }
        for value in Fixtures.values {
            let values = [String?](repeating: value, count: template.variables.count)
            try check((try? template.render(values))?.richHtml)
        }
    }

    private static func inApp(_ source: String) throws {
        let draft = InAppDraft(type: .html, trigger: nil, content: InAppContent(html: source))
        _ = try? InAppTemplate(draft, schema: Fixtures.schema, allowsScripts: true)
        guard let template = try? InAppTemplate(draft, schema: Fixtures.schema, allowsScripts: false) else { return }
        for value in Fixtures.values {
            let values = [String?](repeating: value, count: template.variables.count)
            try check((try? template.render(values))?.html)
        }
    }

    private static func check(_ html: String?) throws {
        guard let html else { return }
        let errors = LiveHTML.errors(of: html)
        try expect(errors.isEmpty, "what was taken renders \(errors): \(html)")
    }
}

/// A second, independent check of what a page runs: a tokenizer that knows only text, comments and tags.
enum LiveHTML {
    private static let foreign: Set = ["script", "iframe", "object", "embed", "base", "frame", "applet"]
    /// Elements in which no tag begins except their own end tag.
    private static let raw: Set = ["style", "textarea", "title", "xmp", "noembed", "noframes"]
    private static let addresses: Set = ["href", "src", "action", "formaction"]

    /// The elements and attributes that run code or load another page.
    static func errors(of html: String) -> [String] {
        let bytes = Array(html.utf8)
        var errors: [String] = []
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            if starts("<!--", bytes, start) {
                index = end(of: "-->", bytes, start + 2)
            } else if starts("<!", bytes, start) || starts("<?", bytes, start) {
                index = end(of: ">", bytes, start)
            } else if starts("</", bytes, start), start + 2 < bytes.count, !isLetter(bytes[start + 2]) {
                // An end tag without a name is a comment up to its `>` (HTML standard, 13.2.5.7).
                index = end(of: ">", bytes, start + 2)
            } else if starts("</", bytes, start) {
                var ignored: [String] = []
                index = tag(bytes, start + 2, &ignored)
            } else {
                index = tag(bytes, start + 1, &errors)
            }
        }
        return errors
    }

    /// Skips a tag, and the content of an element without markup. Returns `start` if no tag begins there.
    private static func tag(_ bytes: [UInt8], _ start: Int, _ errors: inout [String]) -> Int {
        guard start < bytes.count, isLetter(bytes[start]) else { return start }
        var index = start
        let name = word(bytes, &index, until: "/>")
        if foreign.contains(name) { errors.append(name) }
        while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
            if isSpace(bytes[index]) || bytes[index] == UInt8(ascii: "/") {
                index += 1
            } else {
                readAttribute(bytes, &index, &errors)
            }
        }
        guard raw.contains(name), bytes[start - 1] == UInt8(ascii: "<") else { return index }
        while index < bytes.count, !starts("</\(name)", bytes, index) { index += 1 }
        return index
    }

    private static func readAttribute(_ bytes: [UInt8], _ index: inout Int, _ errors: inout [String]) {
        // An equals sign may begin an attribute's name, but then the name is not one that runs code.
        let isOdd = bytes[index] == UInt8(ascii: "=")
        if isOdd { index += 1 }
        let name = word(bytes, &index, until: "/>=")
        var next = index
        while next < bytes.count, isSpace(bytes[next]) { next += 1 }
        var value = ""
        if next < bytes.count, bytes[next] == UInt8(ascii: "=") {
            index = next + 1
            value = Self.value(bytes, &index)
        }
        guard !isOdd else { return }
        if name.hasPrefix("on"), name.utf8.count > 2 { errors.append(name) }
        let address = String(decoding: value.utf8.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
        if addresses.contains(name), address.utf8.starts(with: "javascript:".utf8) {
            errors.append("\(name)=javascript:")
        }
    }

    private static func word(_ bytes: [UInt8], _ index: inout Int, until ends: String) -> String {
        let start = index
        while index < bytes.count, !isSpace(bytes[index]), !ends.utf8.contains(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
    }

    private static func value(_ bytes: [UInt8], _ index: inout Int) -> String {
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
            return word(bytes, &index, until: ">")
        }
        let quote = bytes[index]
        let start = index + 1
        let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
        index = min(end + 1, bytes.count)
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private static func starts(_ text: String, _ bytes: [UInt8], _ index: Int) -> Bool {
        zip(text.utf8, bytes[index...]).allSatisfy { $0 == $1 || (isLetter($1) && $0 == $1 | 0x20) }
            && bytes.count - index >= text.utf8.count
    }

    private static func end(of text: String, _ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count, !starts(text, bytes, index) { index += 1 }
        return min(index + text.utf8.count, bytes.count)
    }

    /// Whether the byte separates attributes. No other control character does: the null character is part of a name.
    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
