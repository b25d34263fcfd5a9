import BelfryStore

/// The mentions of distributed tables in a statement, and to the rows of which of them its conditions lead (FLEET-5).
struct TableMentions {
    private struct Mention {
        let table: String
        let owner: Distribution.Owner
        /// Those whose distribution column has the same value where a condition leads to this one.
        var followers: Set<Int> = []
    }

    private var mentions: [Mention] = []
    /// Those whose distribution column is compared with values.
    private var led: Set<Int> = []
    /// Those of whose distribution column a range is asked for.
    private var ranged: Set<Int> = []

    var count: Int { mentions.count }

    /// Returns its number.
    mutating func add(_ table: String, of owner: Distribution.Owner) -> Int {
        mentions.append(Mention(table: table, owner: owner))
        return mentions.count - 1
    }

    mutating func lead(to numbers: [Int]) {
        led.formUnion(numbers)
    }

    mutating func bound(_ numbers: [Int]) {
        ranged.formUnion(numbers)
    }

    /// Notes that a condition that leads to one of the first leads to the others. The numbers of devices and of
    /// contacts have nothing to do with each other, even when they are compared.
    mutating func follow(_ leaders: [Int], by followers: [Int]) {
        for leader in leaders {
            let owner = mentions[leader].owner
            let ofOwner = followers.filter { mentions[$0].owner == owner }
            mentions[leader].followers.formUnion(ofOwner)
        }
    }

    /// Those, and all that follow them.
    private func reached(from numbers: Set<Int>) -> Set<Int> {
        var reached = numbers
        var ahead = Array(numbers)
        while let number = ahead.popLast() {
            ahead += mentions[number].followers.subtracting(reached)
            reached.formUnion(mentions[number].followers)
        }
        return reached
    }

    /// Of those to whose rows nothing leads.
    var findings: Set<ShardRouting.Finding> {
        let (found, bounded) = (reached(from: led), reached(from: ranged))
        var findings: Set<ShardRouting.Finding> = []
        for (number, mention) in mentions.enumerated() where !found.contains(number) {
            findings.insert(bounded.contains(number) ? .range(mention.table) : .everywhere(mention.table))
        }
        return findings
    }
}
