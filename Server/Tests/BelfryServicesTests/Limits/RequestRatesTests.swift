import Testing

@testable import BelfryServices

@Suite("The rates of a server")
struct RequestRatesTests {
    @Test("SEC-2: the standard rates are the documented ones")
    func standard() {
        let rates = RequestRates.standard
        #expect(rates.device == RateLimit(perMinute: 600, burst: 120))
        #expect(rates.newDevices.minute == RateLimit(perMinute: 300, burst: 300))
        #expect(rates.adminKey == RateLimit(perMinute: 1_200, burst: 240))
        #expect(!rates.limitsLoopback)
    }

    @Test("SEC-9: the standard budgets are the documented ones, and allow 10,000 events of an app offline")
    func budgets() throws {
        let rates = RequestRates.standard
        #expect(rates.bytes == Quota(perMinute: 8 << 20, perDay: 64 << 20))
        #expect(rates.events == Quota(perMinute: 20_000, perDay: 200_000))
        #expect(rates.newContactsOfDevice == Quota(perMinute: 60, perDay: 1_000))
        #expect(rates.newContacts == Quota(perMinute: 600, perDay: 200_000))
        #expect(rates.newDevices.day == RateLimit(perDay: 100_000))
        #expect(rates.newInstallations == RateLimit(perMinute: 10))
        let app = try #require(rates.app)
        #expect(app.bytes == Quota(perMinute: 4 << 30, perDay: 1 << 40))
        #expect(app.events == Quota(perMinute: 20_480_000, perDay: 5_242_880_000))
        #expect(rates.unauthenticatedBytes == Quota(perMinute: 8 << 20, perDay: 1 << 30))
        #expect(app.bytesOfAddress == Quota(perMinute: 512 << 20, perDay: 128 << 30))
        #expect(app.eventsOfAddress == Quota(perMinute: 2_560_000, perDay: 655_360_000))
        // The largest of all still counts in whole numbers.
        let largest = AppBudget(mebibytesPerMinute: .max)
        var bucket = QuotaBucket(largest.bytes, now: ServiceWorld.epoch)
        let wait = bucket.take(largest.bytes, .max, now: ServiceWorld.epoch)
        #expect(wait == nil)
        #expect(
            AppBudgetSetting("OFF")?.budget == nil && AppBudgetSetting("2")?.budget == AppBudget(mebibytesPerMinute: 2))
        for text in ["", "0", "-1", "262145", "1.5", "none"] { #expect(AppBudgetSetting(text) == nil, "\(text)") }
    }

    @Test("SEC-2: a configured rate scales the others, and applies on loopback too")
    func scaled() throws {
        let rates = try #require(RateLimitSetting("60")?.rates(app: .standard))
        #expect(rates.device == RateLimit(perMinute: 60, burst: 20))
        #expect(rates.newDevices.minute == RateLimit(perMinute: 30, burst: 30))
        #expect(rates.adminKey == RateLimit(perMinute: 120, burst: 24))
        #expect(rates.limitsLoopback)
        let smallest = try #require(RateLimitSetting("1")?.rates(app: nil))
        #expect(smallest.device == RateLimit(perMinute: 1, burst: 1))
        #expect(smallest.newDevices.minute == RateLimit(perMinute: 1, burst: 1))
        #expect(smallest.adminKey == RateLimit(perMinute: 2, burst: 2))
    }

    @Test("SEC-2: nobody may do more at once than in a minute")
    func bursts() {
        for perDevice in 1...RequestRates.standardPerDevice {
            let rates = RequestRates(perDevice: perDevice, limitsLoopback: true)
            for limit in [rates.device, rates.newDevices.minute, rates.adminKey] {
                #expect(limit.burst <= limit.amount)
            }
        }
    }

    @Test("SEC-2, CLI-2: the setting is off or a number")
    func setting() {
        #expect(RateLimitSetting("off") == .off && RateLimitSetting("OFF")?.rates(app: .standard) == nil)
        #expect(RateLimitSetting("1000000") == .perDevice(1_000_000))
        for text in ["", "0", "-1", "1000001", "1.5", "on", "none", "600/min", " 5"] {
            #expect(RateLimitSetting(text) == nil, "\(text)")
        }
    }
}
