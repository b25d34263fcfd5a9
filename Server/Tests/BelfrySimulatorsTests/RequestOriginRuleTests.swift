@testable import BelfrySimulators
import Testing

/// Which requests a port without credentials takes.
struct RequestOriginRuleTests {
    @Test(
        "CLI-3: a request names a loopback address or the one that the port listens on, or it is refused",
        arguments: [
            ("127.0.0.1:8444", true), ("127.0.0.1", true), ("localhost:8444", true), ("LOCALHOST", true),
            ("[::1]:8444", true), ("[::1]", true), ("10.1.2.3:8444", true), ("push.example:8444", true),
            // A name of another site that leads here.
            ("evil.example:8444", false), ("127.0.0.1.evil.example", false), ("localhost.evil.example", false),
            ("localhost@evil.example", false), ("localhost:80@evil.example", false), ("localhost\u{301}", false),
            ("[::1].evil.example", false), ("[::1", false), ("10.1.2.4", false), ("", false), (":8444", false),
        ])
    func hosts(_ host: String, isTaken: Bool) {
        let rule = RequestOriginRule(host: "10.1.2.3", publicHost: "Push.Example")
        #expect(Self.rejected(rule, .init(host: host)) == (isTaken ? nil : "Host"))
    }

    @Test("CLI-3: a request without a host is refused")
    func noHost() {
        #expect(Self.rejected(RequestOriginRule(host: "127.0.0.1"), .init()) == "Host")
    }

    @Test("CLI-3: a port on all addresses is called by any address, and by no name that it does not know")
    func everywhere() {
        for host in ["0.0.0.0", "::"] {
            let rule = RequestOriginRule(host: host, publicHost: "push.example")
            for taken in ["192.0.2.1:8444", "[2001:db8::1]:8444", "push.example", "localhost"] {
                #expect(Self.rejected(rule, .init(host: taken)) == nil, "\(taken)")
            }
            for name in ["evil.example:8444", "192.0.2.1.evil.example", "1a", ""] {
                #expect(Self.rejected(rule, .init(host: name)) == "Host", "\(name)")
            }
        }
    }

    @Test(
        "CLI-3: programs and the port's own pages call it, another origin's pages do not",
        arguments: [
            (nil, nil, true), ("http://127.0.0.1:8444", "same-origin", true), (nil, "none", true),
            // As Firefox opens its push connection.
            ("ws://127.0.0.1:8444/", "none", true),
            ("http://evil.example", "cross-site", false), ("http://evil.example", nil, false), ("null", nil, false),
            ("http://127.0.0.1:3000", "same-site", false), ("https://127.0.0.1:8444", nil, false), ("", nil, false),
            ("http://127.0.0.1:84444", nil, false), ("http://127.0.0.1:8444.evil.example", nil, false),
            ("http://127.0.0.1:8444\u{301}", nil, false),
            // A picture, or a link: without an origin, and with what the browser says of the site.
            (nil, "cross-site", false), (nil, "same-site", false),
        ] as [(String?, String?, Bool)])
    func origins(_ origin: String?, _ site: String?, isTaken: Bool) {
        let caller = RequestOriginRule.Caller(host: "127.0.0.1:8444", origin: origin, site: site)
        #expect(Self.rejected(RequestOriginRule(host: "127.0.0.1"), caller) == (isTaken ? nil : "Origin"))
    }

    /// The header for which the caller is refused; nil: it is taken.
    private static func rejected(_ rule: RequestOriginRule, _ caller: RequestOriginRule.Caller) -> String? {
        do throws(RequestOriginRule.Rejection) {
            try rule.check(caller)
            return nil
        } catch {
            return error.field
        }
    }
}
