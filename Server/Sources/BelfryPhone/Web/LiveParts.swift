import Foundation

/// What one browser has been told of a phone, so that it is told only what is new.
struct LiveParts {
    /// Events of the stream, by their names.
    enum Part: String {
        /// The whole ``PhoneView``.
        case phone
        /// The whole ``InspectorView``.
        case inspector
        /// The new ``Inspector/Line``s, the newest first.
        case lines
        /// The new ``Exchange``s, the newest first.
        case exchanges
    }

    private var phone = Data()
    private var inspector = Data()
    private var line = 0
    private var exchange = 0
    private let encoder: JSONEncoder

    init() {
        encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// The events for what has changed, ready to be written; nil for nothing. At first that is everything, and
    /// ``Part/inspector`` comes last.
    mutating func changes(of phone: Phone) async throws -> Data? {
        let view = try encoder.encode(await phone.view())
        let sections = try encoder.encode(await phone.inspectorView())
        let (lines, exchanges) = phone.notes.inspector.news(afterLine: line, exchange: exchange)
        var events = Data()
        if let newest = lines.first {
            line = newest.number
            events += Self.event(.lines, try encoder.encode(lines))
        }
        if let newest = exchanges.first {
            exchange = newest.number
            events += Self.event(.exchanges, try encoder.encode(exchanges))
        }
        if view != self.phone { events += Self.event(.phone, view) }
        if sections != inspector { events += Self.event(.inspector, sections) }
        self.phone = view
        inspector = sections
        return events.isEmpty ? nil : events
    }

    /// JSON on one line has no line feed outside of its texts, and there it is escaped.
    private static func event(_ part: Part, _ json: Data) -> Data {
        Data("event: \(part.rawValue)\ndata: ".utf8) + json + Data("\n\n".utf8)
    }
}

extension Inspector {
    /// Lines and exchanges above these numbers.
    fileprivate func news(afterLine line: Int, exchange: Int) -> (lines: [Line], exchanges: [Exchange]) {
        (Array(lines.prefix { $0.number > line }), Array(exchanges.prefix { $0.number > exchange }))
    }
}
