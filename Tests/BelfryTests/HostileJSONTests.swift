import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

struct HostileJSONTests {
    @Test("SEC-7: what the SDK writes as JSON comes back as it was, whatever marks stand beside quotes")
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
}
