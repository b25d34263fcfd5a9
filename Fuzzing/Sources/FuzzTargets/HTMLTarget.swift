import BelfryModel
import Foundation

@testable import BelfryRules

/// HTML that a marketer composes: what passes the checker runs nothing, whatever its template renders (SEC-4).
enum HTMLTarget {
    static func run(_ bytes: [UInt8]) throws {
        let source = String(decoding: bytes, as: UTF8.self)
        for allowsScripts in [false, true] {
            let refusals = InAppHTMLCheck.refusals(of: source, allowsScripts: allowsScripts)
            try expect(refusals.count <= 8, "faults have a bound")
        }
        try richContent(source)
        try inApp(source)
    }

    private static func richContent(_ source: String) throws {
        let content = MessageCenterContent(subject: "s", message: "m", richHtml: source)
        guard let template = try? MessageCenterTemplate(content, schema: Fixtures.schema), template.hasTemplatedRichHTML
        else { return }
        for value in Fixtures.values {
            let values = [String?](repeating: value, count: template.variables.count)
            guard let html = try? template.render(values).richHtml else { continue }
            // The writer's own page is theirs; what differs from it came of a value.
            for fault in LiveHTML.faults(of: html) {
                try expect(
                    LiveHTML.faults(of: source).contains(fault), "a recipient's value brings \(fault) to life: \(html)")
            }
        }
    }

    private static func inApp(_ source: String) throws {
        let draft = InAppDraft(type: .html, trigger: nil, content: InAppContent(html: source))
        guard InAppHTMLCheck.refusals(of: source, allowsScripts: false).isEmpty,
            let template = try? InAppTemplate(draft, schema: Fixtures.schema)
        else { return }
        for value in Fixtures.values {
            let values = [String?](repeating: value, count: template.variables.count)
            guard let html = try? template.render(values).html else { continue }
            let faults = LiveHTML.faults(of: html)
            try expect(faults.isEmpty, "what passed the checker has \(faults): \(html)")
        }
    }
}

/// A second opinion on what a page runs: a tokenizer of its own, which knows text and tags and nothing else.
enum LiveHTML {
    /// Elements and attributes that run code or bring another page.
    static func faults(of html: String) -> [String] {
        let bytes = Array(html.utf8)
        var faults: [String] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                index += 1
                continue
            }
            if starts("<!--", bytes, index) {
                index = end(of: "-->", bytes, index + 2)
            } else {
                index = tag(bytes, index + 1, &faults)
            }
        }
        return faults
    }

    /// Goes behind a tag; behind the `<` when none begins there.
    private static func tag(_ bytes: [UInt8], _ start: Int, _ faults: inout [String]) -> Int {
        guard start < bytes.count, (0x61...0x7A).contains(bytes[start] | 0x20) else { return start }
        var index = start
        let name = word(bytes, &index, until: "/>")
        if ["script", "iframe", "object", "embed", "base", "frame", "applet"].contains(name) { faults.append(name) }
        while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
            guard bytes[index] > 0x20, bytes[index] != UInt8(ascii: "/") else {
                index += 1
                continue
            }
            let isOdd = bytes[index] == UInt8(ascii: "=")
            if isOdd { index += 1 }
            let attribute = word(bytes, &index, until: "/>=")
            while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
            var value = ""
            if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                index += 1
                value = Self.value(bytes, &index)
            }
            if attribute.hasPrefix("on"), attribute.count > 2, !isOdd { faults.append(attribute) }
            let address = String(decoding: value.utf8.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
            if ["href", "src", "action", "formaction"].contains(attribute), address.hasPrefix("javascript:") {
                faults.append("\(attribute)=javascript:")
            }
        }
        return index
    }

    private static func word(_ bytes: [UInt8], _ index: inout Int, until ends: String) -> String {
        let start = index
        while index < bytes.count, bytes[index] > 0x20, !ends.utf8.contains(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
    }

    private static func value(_ bytes: [UInt8], _ index: inout Int) -> String {
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
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
        bytes[index...].starts(with: text.utf8)
    }

    private static func end(of text: String, _ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count, !starts(text, bytes, index) { index += 1 }
        return min(index + text.utf8.count, bytes.count)
    }
}
