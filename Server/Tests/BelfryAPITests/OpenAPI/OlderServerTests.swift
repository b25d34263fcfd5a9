import Foundation
import Testing

@testable import BelfryAPI

/// What a newer command line reads of a server that was not yet brought up to date.
struct OlderServerTests {
    @Test("CON-8: an inbox of a server that does not say whether there is more is the whole")
    func inbox() throws {
        let badge = #"{"deviceId":"d","count":2}"#
        let text = #"{"contactKey":"ann","centers":[],"badges":[\#(badge)]}"#
        let response = try JSONDecoder().decode(ContactInboxResponse.self, from: Data(text.utf8))
        let badges = [ContactInboxResponse.DeviceBadge(deviceId: "d", platform: nil, count: 2)]
        #expect(response == ContactInboxResponse(contactKey: "ann", centers: [], hasMore: false, badges: badges))
        let cut = try JSONEncoder().encode(
            ContactInboxResponse(contactKey: "ann", centers: [], hasMore: true, badges: badges)
        )
        let read = try JSONDecoder().decode(ContactInboxResponse.self, from: cut)
        #expect(read.hasMore && read.badges == badges)
    }
}
