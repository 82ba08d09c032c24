import { byId, element, keyed, say } from './dom.js';
import { clockTime, duration } from './words.js';

// A synced gateway whose messages seem to come from another time: this device's clock is wrong, or the gateway is not
// synced after all.
const clockApart_s = 15;
const clockSamples = 5;
// A dismissed notice does not return before this time.
const dismissed_ms = 600000;

/** The present faults, one line each; a line goes when its fault is over. */
export class Notices {
  constructor() {
    this.garbage = { count: 0, topic: '', why: '' };
    this.offsets = [];
    this.remarks = new Map();
    this.dismissed = new Map();
  }

  /** Adds a remark of this page, under a name. */
  remark(name, words) {
    this.remarks.set(name, words);
  }

  garbled(topic, why) {
    this.garbage = { count: this.garbage.count + 1, topic: topic.slice(0, 120), why };
  }

  /** Keeps the difference between a message's time and this device's; called for messages that are not retained alone. */
  timed(offset_ms) {
    this.offsets.push(offset_ms);
    if (this.offsets.length > clockSamples) this.offsets.shift();
  }

  /** The seconds by which this device's clock is ahead; 0 where it agrees. The median, because one gateway may be late. */
  clockAhead_s() {
    if (this.offsets.length < clockSamples) return 0;
    const middle = [...this.offsets].sort((one, other) => one - other)[clockSamples >> 1] / 1000;
    return Math.abs(middle) > clockApart_s ? middle : 0;
  }

  lines(page) {
    const found = [...this.remarks];
    const { state, why } = page.connection;
    if (state === 'online' && why) found.push(['rights', why]);
    const ahead_s = this.clockAhead_s();
    if (ahead_s !== 0) {
      const which = `${duration(Math.abs(ahead_s))} ${ahead_s > 0 ? 'ahead of' : 'behind'}`;
      found.push(['clock', `This device's clock is ${which} the gateways'. Times below are the gateways'.`]);
    }
    const { count, topic, why: reason } = this.garbage;
    if (count > 0) found.push(['garbage', `${count} message${count === 1 ? '' : 's'} could not be read and ${count === 1 ? 'was' : 'were'} left out. The last one: ${topic || 'no topic'}: ${reason}.`]);
    const refused = page.store.refused + (page.site()?.beacons.refused ?? 0) + (page.site()?.heard.refused ?? 0);
    if (refused > 0) found.push(['limit', `There is more than this page shows: ${refused} messages went beyond its limits.`]);
    return found;
  }

  show(page, online, now_ms) {
    const make = ([name]) => {
      const button = element('button', '', '✕');
      button.setAttribute('aria-label', 'Dismiss');
      button.addEventListener('click', () => {
        this.dismissed.set(name, Date.now() + dismissed_ms);
        this.show(page, navigator.onLine, Date.now());
      });
      return element('li', '', element('span'), button);
    };
    const lines = this.lines(page).filter(([name]) => !(this.dismissed.get(name) > now_ms));
    keyed(byId('notice-list'), lines, ([name]) => name, make, (row, [name, words]) => {
      row.dataset.name = name;
      say(row.firstElementChild, words);
    });
    this.showConnection(page, online, now_ms);
  }

  /**
   * The reason why the page can't reach the broker, and the age of the picture. Screen readers hear the lasting words alone, not the
   * seconds.
   */
  showConnection(page, online, now_ms) {
    const { state, why, until_ms } = page.connection;
    const asOf_ms = page.asOf(online, now_ms);
    const age = asOf_ms === null ? '' : ` What you see is as of ${clockTime(asOf_ms, now_ms)}.`;
    let said = '';
    if (!online) said = `This device has no network.${age}`;
    else if (state === 'misplaced') said = 'This file has to come from the broker: open the address of its websockets listener.';
    else if (state === 'waiting') said = why + age;
    else if (asOf_ms !== null) said = `The page waits for the broker.${age}`;
    const left_s = Math.max(0, Math.ceil((until_ms - now_ms) / 1000));
    byId('broken').hidden = said === '';
    say(byId('broken-words'), said);
    say(byId('broken-wait'), online && state === 'waiting' ? `Trying again in ${left_s} s.` : '');
    byId('try-now').hidden = state === 'misplaced';
    document.body.classList.toggle('frozen', asOf_ms !== null);
  }
}
