@testable import BelfryServices

/// An operator's setting as one text: from an option, an environment variable or the settings file.
enum SettingTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let floor = DiskFloor(text) {
            for total in [0, 1, 10_000_000_000, Int64.max] {
                try expect(floor.bytes(of: total) >= 0, "a floor is an amount: \(text)")
            }
        }
        if case .perDevice(let calls)? = RateLimitSetting(text) {
            try expect((1...RequestRates.maximumPerDevice).contains(calls), "a rate has a bound: \(text)")
            _ = RateLimitSetting(text)?.rates(app: AppBudgetSetting(text)?.budget)
        }
        if case .mebibytes(let number)? = AppBudgetSetting(text) {
            try expect((1...AppBudget.maximumMebibytes).contains(number), "a budget has a bound: \(text)")
            _ = AppBudgetSetting(text)?.budget
        }
        if let share = TraceShare(text) {
            _ = share.contains(Fixtures.trace)
        }
        if let hosts = WebPushHosts(text) {
            try expect(!hosts.lists(""), "a list names no host without a name: \(text)")
            _ = hosts.admit(text)
            _ = hosts.spells(text)
        }
        _ = TrustedProxies(text)
    }
}
