import BelfryServices
import BelfryWire
import Foundation

/// The answer to a preview as JSON, and no longer than its bound: of who would make it longer it says so instead (SEC-2).
struct BoundedPreviews {
    static let maximumBytes = 4 * 1_048_576
    /// What an entry takes that only says why it is left out.
    private static let noteBytes = 1_024

    let json: [UInt8]

    init(_ previews: CampaignPreviews) throws {
        let encoder = JSONEncoder.responses
        var json = Array("{".utf8)
        if !previews.warnings.isEmpty {
            json += try Array(#""warnings":"#.utf8) + encoder.encode(previews.warnings) + [UInt8(ascii: ",")]
        }
        json += Array(#""previews":["#.utf8)
        var isFull = false
        for index in previews.indices {
            if index > previews.startIndex { json.append(UInt8(ascii: ",")) }
            // Room for a word about each of those behind it.
            let room = Self.maximumBytes - json.count - (previews.endIndex - index) * Self.noteBytes
            let device = previews.device(at: index)
            guard !isFull else {
                json += try encoder.encode(Self.leftOut(device, of: previews.count))
                continue
            }
            let entry = try encoder.encode(CampaignPreviewResponse.Entry(previews[index]))
            isFull = entry.count > room
            json += isFull ? try encoder.encode(Self.leftOut(device, of: previews.count)) : entry
        }
        self.json = json + Array("]}".utf8)
    }

    /// The same of a draft's preview: one that would be longer has only a problem.
    init(_ preview: DraftPreviewResponse) throws {
        let json = try JSONEncoder.responses.encode(preview)
        guard json.count > Self.maximumBytes else {
            self.json = Array(json)
            return
        }
        var rest = preview
        (rest.push, rest.messageCenter, rest.inApp) = (nil, nil, nil)
        rest.problem = Self.tooLong(for: 1)
        self.json = Array(try JSONEncoder.responses.encode(rest))
    }

    private static func leftOut(_ device: String, of count: Int) -> CampaignPreviewResponse.Entry {
        CampaignPreviewResponse.Entry(deviceId: device, content: nil, problem: tooLong(for: count))
    }

    /// - Parameter count: how many are shown in the response.
    private static func tooLong(for count: Int) -> String {
        let advice = count > 1 ? "Preview this device alone." : "The campaign's content is too long for a preview."
        return "It is left out: a response has at most \(maximumBytes) bytes. \(advice)"
    }
}
