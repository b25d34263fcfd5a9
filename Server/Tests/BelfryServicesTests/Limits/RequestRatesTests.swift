import Testing

@testable import BelfryServices

@Suite("The rates of a server")
struct RequestRatesTests {
    @Test("SEC-2: the standard rates are those that the documents tell")
    func standard() {
        let rates = RequestRates.standard
        #expect(rates.device == RateLimit(perMinute: 600, burst: 120))
        #expect(rates.newDevices == RateLimit(perMinute: 300, burst: 300))
        #expect(rates.adminKey == RateLimit(perMinute: 1_200, burst: 240))
        #expect(!rates.limitsLoopback)
    }

    @Test("SEC-2: a rate that somebody asks for scales the others, and counts on this machine too")
    func scaled() throws {
        let rates = try #require(RateLimitSetting("60")?.rates)
        #expect(rates.device == RateLimit(perMinute: 60, burst: 20))
        #expect(rates.newDevices == RateLimit(perMinute: 30, burst: 30))
        #expect(rates.adminKey == RateLimit(perMinute: 120, burst: 24))
        #expect(rates.limitsLoopback)
        let smallest = try #require(RateLimitSetting("1")?.rates)
        #expect(smallest.device == RateLimit(perMinute: 1, burst: 1))
        #expect(smallest.newDevices == RateLimit(perMinute: 1, burst: 1))
        #expect(smallest.adminKey == RateLimit(perMinute: 2, burst: 2))
    }

    @Test("SEC-2: nobody may do more at once than in a minute")
    func bursts() {
        for perDevice in 1...RequestRates.standardPerDevice {
            let rates = RequestRates(perDevice: perDevice, limitsLoopback: true)
            for limit in [rates.device, rates.newDevices, rates.adminKey] {
                #expect(limit.burst <= limit.perMinute)
            }
        }
    }

    @Test("SEC-2, CLI-2: the setting is off or a number")
    func setting() {
        #expect(RateLimitSetting("off") == .off && RateLimitSetting("OFF")?.rates == nil)
        #expect(RateLimitSetting("1000000") == .perDevice(1_000_000))
        for text in ["", "0", "-1", "1000001", "1.5", "on", "none", "600/min", " 5"] {
            #expect(RateLimitSetting(text) == nil, "\(text)")
        }
    }
}
