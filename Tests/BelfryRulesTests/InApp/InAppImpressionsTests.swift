import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

/// Whose displays are whose, over lives of logins and logouts.
struct InAppImpressionsTests {
    private func reference(_ name: String) -> String {
        String((name + "____________").prefix(RecipientTags.tagLength)) + ".rest"
    }

    @Test(
        "ID-8: in any order of persons, each has the displays that they saw",
        arguments: Endurance.seeds(100, brief: 25))
    func persons(seed: UInt64) {
        var dice = DeviceDice(seed: seed)
        var device = InAppDevice([message("a") { $0.displayLimit = 1_000 }])
        device.policy.minimumGap = 0
        var seen = ["anna": 0, "bert": 0]
        var person: String?
        var visitor = 0
        var owner = 0
        for step in 0..<40 {
            switch dice.next() % 3 {
            case 0:
                #expect(device.sees("buy") == ["load a"])
                if let person { seen[person, default: 0] += 1 } else { visitor += 1 }
            case 1 where person == nil:
                let name = dice.isLikely(0.5) ? "anna" : "bert"
                owner += 1
                // The displays of an anonymous person count for the person they turn out to be.
                seen[name, default: 0] += visitor
                (person, visitor) = (name, 0)
                let linked = owner
                device.step { rules, _, _, _ in rules.linked(reference(name), owner: linked) }
            case 2 where person != nil:
                owner += 1
                (person, visitor) = (nil, 0)
                _ = device.person(owner)
            default: continue
            }
            let known = device.rules.impressions.displays(of: message("a"))
            #expect(known == (person.flatMap { seen[$0] } ?? visitor), "seed \(seed), step \(step)")
        }
    }

    @Test("IAM-8: however many displays the server tells of, one more can be counted")
    func manyDisplays() {
        var device = InAppDevice()
        let seen = message("a") { $0.displayCount = .max }
        let counts = device.step { rules, now, _, _ in rules.inlineShown(seen, at: now) }
        #expect(counts && device.rules.impressions.displays(of: seen) == .max)
    }

    @Test(
        "IAM-8, ID-8: however many displays the server tells of, those of two persons who turn out to be one are added")
    func manyDisplaysOfOne() {
        var device = InAppDevice()
        let seen = message("a") { $0.displayCount = .max }
        for owner in [2, 4] {
            let counts = device.step { rules, now, _, _ in rules.inlineShown(seen, at: now) }
            #expect(counts)
            device.step { rules, _, _, _ in rules.linked(reference("anna"), owner: owner - 1) }
            #expect(device.rules.impressions.displays(of: message("a")) == .max)
            _ = device.person(owner)
        }
    }

    @Test("ID-8: a link that comes after its person left is theirs, and memory is limited")
    func late() throws {
        var device = InAppDevice([message("a") { $0.displayLimit = 1_000 }])
        device.policy.minimumGap = 0
        func link(_ name: String, _ owner: Int) {
            device.step { rules, _, _, _ in rules.linked(reference(name), owner: owner) }
        }
        #expect(device.sees("buy") == ["load a"])
        _ = device.person(2)
        link("anna", 1)
        #expect(device.rules.impressions.displays(of: message("a")) == 0)
        link("anna", 3)
        #expect(device.rules.impressions.displays(of: message("a")) == 1)
        for owner in 4..<60 {
            _ = device.person(owner)
            link("p\(owner)", owner)
            _ = device.sees("buy")
        }
        let bytes = try JSONEncoder().encode(device.rules.impressions).count
        #expect(bytes < 4_000)
        for number in 0..<300 {
            device.situation.candidates = [message("m\(number)")]
            #expect(device.messagesChange() == [])
            #expect(device.sees("buy") == ["load m\(number)"])
        }
        #expect(try JSONEncoder().encode(device.rules).count < 30_000)
    }
}
