import Foundation

/// The state that one browser has received of a phone, so that it is sent only what is new.
struct LiveParts {
    /// The events of the stream, by name.
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

    /// The events for everything that has changed, ready to be written; nil without changes. The first call gives
    /// everything. ``Part/inspector`` always comes last.
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

    /// The event's text. The JSON is on one line: line feeds within its texts are escaped.
    private static func event(_ part: Part, _ json: Data) -> Data {
        Data("event: \(part.rawValue)\ndata: ".utf8) + json + Data("\n\n".utf8)
    }
}

extension Inspector {
    /// The lines and exchanges with higher numbers than these.
    fileprivate func news(afterLine line: Int, exchange: Int) -> (lines: [Line], exchanges: [Exchange]) {
        (Array(lines.prefix { $0.number > line }), Array(exchanges.prefix { $0.number > exchange }))
    }
}
