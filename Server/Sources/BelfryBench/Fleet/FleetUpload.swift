import BelfryModel
import Foundation
import NIOCore

/// Makes the bodies of a fleet's event uploads.
enum FleetUpload {
    /// The events of an app open: a session start, and some events in it.
    ///
    /// - Parameter id: the prefix of the events' ids, unique among the device's uploads.
    static func opening(_ id: String, at date: Date) -> ByteBuffer {
        let start = event(id, .internal, EventName.sessionStart, at: date)
        return body([start] + customEvents(FleetShape.eventsOfOpening, id, at: date))
    }

    /// A number of events.
    ///
    /// - Parameter id: the prefix of the events' ids, unique among the device's uploads.
    static func events(_ count: Int, _ id: String, at date: Date) -> ByteBuffer {
        body(customEvents(count, id, at: date))
    }

    private static func customEvents(_ count: Int, _ id: String, at date: Date) -> [String] {
        (0..<count).map { event("\(id)-\($0)", .custom, "bench", at: date) }
    }

    private static func event(
        _ id: String, _ kind: Event.Kind, _ name: some CustomStringConvertible, at date: Date
    ) -> String {
        #"{"id":"\#(id)","type":"\#(kind.rawValue)","name":"\#(name)","timestamp":"\#(Timestamp.text(date))","#
            + #""attributes":{"screen":"home","position":7}}"#
    }

    private static func body(_ events: [String]) -> ByteBuffer {
        ByteBuffer(string: #"{"events":["# + events.joined(separator: ",") + "]}")
    }
}
