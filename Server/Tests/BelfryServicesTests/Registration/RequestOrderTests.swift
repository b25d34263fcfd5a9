import BelfryServices
import Foundation
import Testing

struct RequestOrderTests {
    private let now = Date(timeIntervalSince1970: 1_763_683_200.25)
    private let server: Int64 = 1_763_683_200_250

    @Test("WIRE-21: an order counts as it is sent, up to five minutes ahead of the server")
    func header() {
        for order in [0, 1, server - 86_400_000, server, server + 1, server + 300_000] {
            #expect(read("\(order)") == order)
        }
    }

    @Test(
        "WIRE-21: absent, unreadable and orders further ahead count as the server's time",
        arguments: [
            nil, "", "soon", " 12", "1.5", "-1", "1763683500251", "9223372036854775807", "9223372036854775808", "1e3",
        ]
    )
    func serverTime(_ header: String?) {
        #expect(read(header) == server)
    }

    @Test("WIRE-21: orders compare by their time")
    func order() {
        #expect(RequestOrder(milliseconds: 1) < RequestOrder(milliseconds: 2))
        #expect(max(RequestOrder(milliseconds: 7), RequestOrder(milliseconds: 2)).milliseconds == 7)
    }

    private func read(_ header: String?) -> Int64 {
        RequestOrder(header: header, now: now, maximumAhead: 300).milliseconds
    }
}
