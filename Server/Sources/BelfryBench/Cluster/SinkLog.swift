import BelfryModel
import Foundation

/// The file of a sink (`Benchmarks/PushSink`) with the `apns-id` of each push that it got, in a line of its own.
struct SinkLog: Sendable {
    static let lineBytes = 37

    let file: URL

    /// The number of pushes so far, repeats included.
    func count() throws -> Int {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        return (size ?? 0) / Self.lineBytes
    }

    /// The pushes after the first ones.
    func pushes(after first: Int) throws -> SinkPushes {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(first * Self.lineBytes))
        return SinkPushes(try handle.readToEnd() ?? Data())
    }
}

/// The pushes that a sink got, by their ids.
struct SinkPushes {
    /// How often each id came.
    private(set) var counts: [MessageID: Int] = [:]
    /// The number of lines that are no id.
    private(set) var unreadable = 0

    /// - Parameter lines: a part of the sink's file.
    init(_ lines: Data) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            if let id = MessageID(String(decoding: line, as: UTF8.self)) {
                counts[id, default: 0] += 1
            } else {
                unreadable += 1
            }
        }
    }

    /// Compares them with the pushes of one campaign.
    ///
    /// - Parameter expected: the id of the push to each device of the campaign.
    func compared(with expected: Set<MessageID>) -> Comparison {
        var result = Comparison(foreign: unreadable)
        for (id, count) in counts {
            guard expected.contains(id) else {
                result.foreign += count
                continue
            }
            result.devices += 1
            result.repeats += count - 1
        }
        return result
    }

    struct Comparison: Hashable, Encodable {
        /// The number of devices of the campaign whose push came.
        var devices = 0
        /// The number of pushes that had come before.
        var repeats = 0
        /// The number of pushes that are not the campaign's.
        var foreign = 0
    }
}
