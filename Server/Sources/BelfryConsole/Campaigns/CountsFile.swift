import BelfryModel
import BelfryServerModel
import BelfryServices

/// A campaign's figures as a file for spreadsheets (CON-7): RFC 4180.
enum CountsFile {
    static func bytes(_ standing: CampaignStanding) -> [UInt8] {
        let campaign = standing.campaign
        var lines = [["campaign", "name", "state", "reason", "devices", "displayed", "opened", "meaning"]]
        lines += standing.outcomes.map { outcome in
            [
                campaign.id.description, campaign.draft.name, outcome.state.rawValue, outcome.reason?.rawValue ?? "",
                String(outcome.count), String(outcome.displayed), String(outcome.opened), LossWords.sentence(outcome),
            ]
        }
        return lines.flatMap { line in
            Array(line.map(cell).joined(separator: ",").utf8) + [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        }
    }

    /// A text as a cell. A spreadsheet would run some texts as formulas; these get an apostrophe in front, which marks
    /// them as text.
    static func cell(_ text: String) -> String {
        let first = text.unicodeScalars.first { $0 != " " && $0 != "\u{feff}" }
        let isRun = first.map { "=+-@\t\r\n|%\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars.contains($0) } ?? false
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        if isRun { bytes.append(UInt8(ascii: "'")) }
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}
