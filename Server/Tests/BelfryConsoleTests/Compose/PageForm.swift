import Foundation

@testable import BelfryConsole

/// The form of a page as a browser would send it, nobody having touched it.
struct PageForm {
    private(set) var values: [String: [String]] = [:]

    var fields: FormFields { FormFields(values) }

    subscript(_ name: String) -> [String] {
        get { values[name] ?? [] }
        set { values[name] = newValue }
    }

    /// - Parameter id: of the form in the page.
    init?(_ html: String, id: String) {
        guard let start = html.range(of: "id=\"\(id)\""),
            let end = html.range(of: "</form>", range: start.upperBound..<html.endIndex)
        else { return nil }
        var rest = html[start.upperBound..<end.lowerBound]
        while let open = rest.range(of: "<") {
            rest = rest[open.upperBound...]
            guard let close = rest.firstIndex(of: ">") else { break }
            let tag = rest[..<close]
            rest = rest[rest.index(after: close)...]
            if tag.hasPrefix("input ") {
                take(tag)
            } else if tag.hasPrefix("textarea ") {
                guard let stop = rest.range(of: "</textarea>") else { break }
                add(tag, Self.area(rest[..<stop.lowerBound]))
                rest = rest[stop.upperBound...]
            } else if tag.hasPrefix("select ") {
                guard let stop = rest.range(of: "</select>") else { break }
                add(tag, Self.chosen(rest[..<stop.lowerBound]))
                rest = rest[stop.upperBound...]
            }
        }
    }

    private mutating func take(_ tag: Substring) {
        let type = Self.attribute("type", tag) ?? "text"
        guard ["checkbox", "radio"].contains(type) else {
            let value = Self.attribute("value", tag) ?? ""
            // A browser takes line ends out of what has one line, but not out of what nobody sees.
            return add(
                tag,
                type == "hidden" ? value : String(decoding: value.utf8.filter { $0 != 10 && $0 != 13 }, as: UTF8.self))
        }
        if tag.hasSuffix(" checked") || tag.contains(" checked ") { add(tag, Self.attribute("value", tag) ?? "on") }
    }

    private mutating func add(_ tag: Substring, _ value: String) {
        guard let name = Self.attribute("name", tag) else { return }
        values[name, default: []].append(value)
    }

    /// The first line end of a text area is its beginning.
    private static func area(_ html: Substring) -> String {
        let text = unescaped(html)
        return text.utf8.first == 10 ? String(decoding: text.utf8.dropFirst(), as: UTF8.self) : text
    }

    private static func chosen(_ html: Substring) -> String {
        var (first, rest): (String?, Substring) = (nil, html)
        while let open = rest.range(of: "<option") {
            rest = rest[open.upperBound...]
            guard let close = rest.firstIndex(of: ">") else { break }
            let tag = rest[..<close]
            rest = rest[close...]
            let value = attribute("value", tag) ?? ""
            if tag.hasSuffix(" selected") { return value }
            first = first ?? value
        }
        return first ?? ""
    }

    private static func attribute(_ name: String, _ tag: Substring) -> String? {
        guard let start = tag.range(of: " \(name)=\"") else { return nil }
        return unescaped(tag[start.upperBound...].prefix { $0 != "\"" })
    }

    private static func unescaped(_ text: Substring) -> String {
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        return entities.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
