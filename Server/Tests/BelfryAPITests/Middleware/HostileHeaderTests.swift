import BelfryTestSupport
import Hummingbird
import Testing

@testable import BelfryAPI

/// Each mark follows a separator, which ends a part all the same: to proxies and to clients a separator is a byte.
struct HostileHeaderTests {
    @Test("SEC-7, WIRE-27: a mark after a separator changes nothing of what is accepted")
    func acceptedEncodings() {
        for mark in HostileText.marks {
            let others = AcceptedEncoding.prefersGzip("gzip,\(mark)x")
            let first = AcceptedEncoding.prefersGzip("br;\(mark)q=1,gzip")
            let parameter = AcceptedEncoding.prefersGzip("gzip;\(mark)q=0")
            let weight = AcceptedEncoding.prefersGzip("gzip;q=\(mark)1")
            #expect(others, "\(mark.debugDescription)")
            #expect(first, "\(mark.debugDescription)")
            // Not 'q', so it is a parameter of another name.
            #expect(parameter, "\(mark.debugDescription)")
            // No number, which is 0.
            #expect(!weight, "\(mark.debugDescription)")
        }
    }

    @Test("SEC-7, WIRE-27: the accent that makes another Character of a separator leaves it one")
    func accents() {
        let parameter = AcceptedEncoding.prefersGzip("gzip;\u{301}q=0")
        let refused = AcceptedEncoding.prefersGzip("gzip;\u{301}x;q=0")
        #expect(parameter)
        #expect(!refused)
    }

    @Test("SEC-7: the type of a body ends at the semicolon, whatever follows it")
    func contentTypes() {
        for mark in HostileText.marks {
            let isJSON = Request.isJSON("application/json;\(mark)charset=utf-8")
            let isProblem = Request.isJSON("application/\(mark)problem+json")
            let isOther = Request.isJSON("application/json\(mark)")
            #expect(isJSON, "\(mark.debugDescription)")
            #expect(isProblem, "\(mark.debugDescription)")
            #expect(!isOther, "\(mark.debugDescription)")
        }
    }

    @Test("SEC-7, ADM-1: the space after 'Bearer' ends the scheme, and a mark after it belongs to the key")
    func adminKeys() {
        for mark in HostileText.marks {
            for header in ["Bearer \(mark)abc", "bearer   \(mark)abc"] {
                let key = Array((AdminAuthMiddleware.key(in: header) ?? "").utf8)
                #expect(key == Array("\(mark)abc".utf8), "\(mark.debugDescription)")
            }
        }
    }
}
