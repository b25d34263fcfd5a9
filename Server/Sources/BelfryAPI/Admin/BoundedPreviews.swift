import BelfryServices
import BelfryWire
import Foundation

/// The response to a preview as JSON of bounded length. An entry that would make it longer is replaced by a sentence
/// that says so (SEC-2).
struct BoundedPreviews {
    static let maximumBytes = 4 * 1_048_576
    /// The maximum bytes of an entry that only says why it is left out.
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
            // Room for such a sentence is reserved for each later entry.
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

    /// The response to a draft's preview. If it would be too long, it has only a problem.
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

    /// - Parameter count: how many devices the response has.
    private static func tooLong(for count: Int) -> String {
        let advice = count > 1 ? "Preview this device alone." : "The campaign's content is too long for a preview."
        return "It is left out: a response has at most \(maximumBytes) bytes. \(advice)"
    }
}
