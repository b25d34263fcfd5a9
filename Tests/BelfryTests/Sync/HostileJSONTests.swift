import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

struct HostileJSONTests {
    @Test("SEC-7: JSON that the SDK writes is read back unchanged, whatever marks are next to quotes")
    func strings() throws {
        var writer = JSONWriter()
        writer.literal("[")
        for (index, text) in HostileText.all.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.string(text)
        }
        writer.literal("]")
        #expect(!writer.bytes.contains { $0 < 0x20 })
        let read = try JSONDecoder().decode([String].self, from: Data(writer.bytes))
        #expect(read.count == HostileText.all.count)
        for (text, again) in zip(HostileText.all, read) {
            #expect(again.utf8.elementsEqual(text.utf8), "\(text.debugDescription)")
        }
    }

    @Test("SEC-6, IAM-12: the deepest trigger that the API accepts is read in a sync response")
    func deepestTrigger() throws {
        // In a request the predicate is the fourth of 32 levels, in a response the fifth.
        let lists = (WireLimits.maximumJSONDepth - 4) / 2
        let filter =
            String(repeating: #"{"all":["#, count: lists) + #"{"attribute":"price","op":">","value":10}"#
            + String(repeating: "]}", count: lists)
        let messages = [#","where":\#(filter)"#, ""].enumerated().map { number, part in
            #"{"id":"m\#(number)","version":1,"campaignId":"1","type":"modal","content":{"title":"Hi"},"#
                + #""displayLimit":1,"delaySeconds":0,"priority":1,"trigger":{"event":"a"\#(part)}}"#
        }
        let body = Data(#"{"cursor":"c","messages":[\#(messages.joined(separator: ","))],"recalled":[]}"#.utf8)
        let response = try #require(InAppReading(body))
        #expect(response.cursor == "c" && response.messages.map(\.id) == ["m0", "m1"])
        #expect(response.messages.first?.body.trigger?.filter != nil)
    }
}
