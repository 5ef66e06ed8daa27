"use strict";
{
  const box = document.getElementById("search"), input = document.getElementById("words");
  const status = box.querySelector("[role=status]");
  const groups = [...document.querySelectorAll("#entries details")].map(group => ({
    group, entries: [...group.querySelectorAll("li")].map(item => ({item, text: item.textContent.toLowerCase()})),
  }));
  const find = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const {group, entries} of groups) {
      let here = 0;
      for (const {item, text} of entries) {
        item.hidden = !words.every(word => text.includes(word));
        here += !item.hidden;
      }
      group.hidden = !here;
      group.open = words.length > 0 && here > 0;
      found += here;
    }
    status.textContent = words.length ? `${found} found` : "";
  };
  input.addEventListener("input", find);
  box.hidden = false;
  find();
}
