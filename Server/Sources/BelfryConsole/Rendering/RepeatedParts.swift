import Mustache

// Parts that a page has by the dozen: rows, columns of charts, navigation entries. Each names its values itself
// (`child(named:)`). Reflecting all of them would take most of the time in which a page is made (PERF-12).

extension LayoutModel.Entry: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "title": title
        case "address": address
        case "icon": icon
        case "isCurrent": isCurrent
        case "key": key
        default: nil
        }
    }
}

extension LayoutModel.SchemeChoice: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "value": value
        case "name": name
        case "isChosen": isChosen
        default: nil
        }
    }
}

extension StatusChip: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "word": word
        case "tone": tone
        default: nil
        }
    }
}

extension Fact: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "term": term
        case "words": words
        default: nil
        }
    }
}

extension Bar: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "label": label
        case "count": count
        case "share": share
        case "width": width
        case "tone": tone
        case "address": address
        default: nil
        }
    }
}

extension ColumnChart.Column: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "x": x
        case "y": y
        case "width": width
        case "height": height
        case "title": title
        default: nil
        }
    }
}

extension ColumnChart.Mark: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "x": x
        case "y": y
        case "text": text
        case "anchor": anchor
        default: nil
        }
    }
}

extension LineChart.Mark: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "x": x
        case "y": y
        case "text": text
        case "anchor": anchor
        default: nil
        }
    }
}

extension HomeModel.Day: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "dayName": dayName
        case "sent": sent
        case "shown": shown
        case "opened": opened
        case "optedIn": optedIn
        default: nil
        }
    }
}

extension CampaignLine: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "name": name
        case "address": address
        case "kind": kind
        case "status": status
        default: nil
        }
    }
}

extension CampaignListModel.Line: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "name": name
        case "lineAddress": lineAddress
        case "kind": kind
        case "status": status
        case "reviewChip": reviewChip
        case "duplicateAddress": duplicateAddress
        default: nil
        }
    }
}

extension CampaignListModel.Choice: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "choiceValue": choiceValue
        case "choiceWords": choiceWords
        case "isChosen": isChosen
        default: nil
        }
    }
}

extension CampaignPeopleModel.Line: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "personTitle": personTitle
        case "personAddress": personAddress
        case "deviceName": deviceName
        case "personChip": personChip
        case "why": why
        case "changed": changed
        case "noticed": noticed
        default: nil
        }
    }
}

extension TimelineModel.Line: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "lineTone": lineTone
        case "lineWhen": lineWhen
        case "lineMoment": lineMoment
        case "lineSentence": lineSentence
        case "lineCampaign": lineCampaign
        case "lineCampaignAddress": lineCampaignAddress
        case "lineWhyAddress": lineWhyAddress
        case "lineDevice": lineDevice
        case "lineDetails": lineDetails
        default: nil
        }
    }
}

extension TimelineModel.Detail: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "detailName": detailName
        case "detailWords": detailWords
        default: nil
        }
    }
}

extension TimelineModel.Filter: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "filterName": filterName
        case "filterAddress": filterAddress
        case "isPresentFilter": isPresentFilter
        default: nil
        }
    }
}

extension WhyForm.Choice: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "whyCampaign": whyCampaign
        case "whyCampaignName": whyCampaignName
        case "isWhyChosen": isWhyChosen
        default: nil
        }
    }
}

extension CalendarModel.Day: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "dayName": dayName
        case "dayNumber": dayNumber
        case "isToday": isToday
        case "isOther": isOther
        case "isFree": isFree
        case "items": items
        default: nil
        }
    }
}

extension CalendarModel.Item: MustacheParent {
    func child(named part: String) -> Any? {
        switch part {
        case "itemName": itemName
        case "itemAddress": itemAddress
        case "itemTime": itemTime
        case "itemKind": itemKind
        case "itemChip": itemChip
        case "itemZones": itemZones
        default: nil
        }
    }
}
