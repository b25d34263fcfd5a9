import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@Suite("Dates that may lack an offset")
struct ZonedDateTests {
    private struct Draft: Hashable, Codable {
        @ZonedDate var at: Date?
        @TextIfAny var title = ""
    }

    private func draft(_ json: String, in zone: DateZone? = nil) throws -> Draft {
        try CheckedJSON(Data(json.utf8)).decode(Draft.self, datesIn: zone)
    }

    @Test("ADM-2: a date without an offset is in the reader's zone; an offset takes precedence")
    func zone() throws {
        let paris = DateZone(named: "Europe/Paris")
        let summer = try draft(#"{"at":"2026-07-01T09:00:00"}"#, in: paris)
        #expect(summer.at == Timestamp.date("2026-07-01T07:00:00Z"))
        #expect(try draft(#"{"at":"2026-07-01T09:00:00Z"}"#, in: paris).at == Timestamp.date("2026-07-01T09:00:00Z"))
    }

    @Test("ADM-2: a reader without a zone accepts no date without an offset")
    func noZone() {
        #expect(throws: DecodingError.self) { try draft(#"{"at":"2026-07-01T09:00:00"}"#) }
        #expect(throws: DecodingError.self) { try draft(#"{"at":5}"#, in: DateZone(named: "Europe/Paris")) }
    }

    @Test("ADM-3: a caller that asks for it gets every unreadable date, and everything else")
    func unreadable() throws {
        let paris = DateZone(named: "Europe/Paris")
        let (read, dates) = try CheckedJSON(Data(#"{"at":"soon","title":"t"}"#.utf8))
            .decodePastDates(Draft.self, in: paris)
        #expect(read.at == nil && read.title == "t" && dates.count == 1)
        guard case .dataCorrupted(let context)? = dates.first else {
            Issue.record("\(dates)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["at"])
        #expect(throws: DecodingError.self) { try draft(#"{"at":"soon"}"#, in: paris) }
        #expect(throws: DecodingError.self) {
            try CheckedJSON(Data(#"{"at":5}"#.utf8)).decodePastDates(Draft.self, in: paris)
        }
    }

    @Test("ADM-2: a date is written as it was read, and a known one with its offset; absent stays absent")
    func written() throws {
        var draft = Draft()
        #expect(String(decoding: try JSONEncoder().encode(draft), as: UTF8.self) == "{}")
        #expect(try self.draft("{}") == draft)
        #expect(try self.draft(#"{"at":null,"title":null}"#) == draft)
        draft.$at = ZonedDate(asWritten: "2026-07-01T09:00")
        #expect(String(decoding: try JSONEncoder().encode(draft), as: UTF8.self) == #"{"at":"2026-07-01T09:00"}"#)
        draft.at = Timestamp.date("2026-07-01T09:00:00Z")
        let text = String(decoding: try JSONEncoder().encode(draft), as: UTF8.self)
        #expect(text == #"{"at":"2026-07-01T09:00:00.000Z"}"#)
    }
}
